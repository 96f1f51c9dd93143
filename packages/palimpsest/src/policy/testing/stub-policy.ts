import type { Policy, SummaryForm } from "../policy.ts";
import { nearCompaction } from "../rules/ahead.ts";
import { fixedLifetimes, headByPauses } from "../rules/cache.ts";
import { byCacheEdit, byProvider, bySize, toFit, whenCold, whenIdle } from "../rules/clear.ts";
import { notesByGrowth } from "../rules/notes.ts";
import { beforeMark, everything } from "../rules/range.ts";
import { storeBySize } from "../rules/store.ts";
import { afterMark, anyOf, economic, window } from "../rules/when.ts";
import { CODING, type Profile, SUPPORT, SUPPORT_HORIZON_REQUESTS, WEIGH } from "../weigh.ts";

const PROFILES = ["quality", "balanced", "economy"] as const;

export const STUB_FORM: SummaryForm = {
  kind: "form",
  name: "stub",
  maxTokens: 20_000,
  prompt: () => "Summarize.",
  check: () => ({ kind: "ok" }),
  ifUnmet: "accept",
};

/** The decisions of a coding agent, with a summary that nobody writes and no parts. */
export function codingStub(profile: Profile): Policy {
  const { keepNewest, filesTokens: _, quotedLinesTokens: __, ...sizes } = CODING[profile];
  return {
    name: `coding/${profile}`,
    store: storeBySize(),
    clear: [
      whenCold({ keepNewest }),
      byProvider({
        keepNewest,
        aboveTokens: 100_000,
        freeAtLeastTokens: 50_000,
        inputsOf: ["Edit", "Write"],
        onlyInTurn: true,
        level: "when-full",
      }),
      toFit({ keepNewest, toShare: 0.6 }),
    ],
    compact: {
      when: anyOf(window(), economic(sizes)),
      range: everything,
      summary: STUB_FORM,
      keep: [],
      prepareAhead: nearCompaction({ idleShare: 0.95, inTurnShare: 0.9, maxTailTokens: 20_000 }),
      expect: {
        keptTokens: 30_000,
        outputTokens: 4_000,
        comesBack: { tokens: 8_000, requests: 2 },
      },
      patience: "wait",
      minShrinkShare: 0.2,
    },
    cache: headByPauses(),
    weigh: WEIGH,
  };
}

/** The decisions of a support desk, in the same way. */
export function supportStub(profile: Profile): Policy {
  const { fromTokens, summaryTokens, userMessagesTokens, keepNewest } = SUPPORT[profile];
  return {
    ...codingStub("balanced"),
    name: `support/${profile}`,
    store: storeBySize({ thresholdCharacters: 20_000 }),
    clear: [whenCold({ keepNewest }), toFit({ keepNewest, toShare: 0.6 })],
    compact: {
      when: anyOf(
        window(),
        afterMark("ticket", { fromTokens: fromTokens / 2 }),
        economic({ fromTokens, inTurnFromTokens: 2 * fromTokens }),
      ),
      range: beforeMark("ticket"),
      summary: { ...STUB_FORM, maxTokens: summaryTokens },
      keep: [],
      expect: {
        keptTokens: summaryTokens + userMessagesTokens,
        outputTokens: summaryTokens / 2,
        comesBack: { tokens: 2_000, requests: 1 },
      },
      patience: "wait",
      minShrinkShare: 0.2,
    },
    cache: fixedLifetimes("1h", "5m"),
    weigh: { ...WEIGH, horizonRequests: SUPPORT_HORIZON_REQUESTS },
  };
}

/** The rules of the seed documents. */
export const CLASSIC_STUB: Policy = {
  ...codingStub("balanced"),
  name: "classic",
  clear: [
    byProvider({
      aboveTokens: 180_000,
      freeAtLeastTokens: 140_000,
      keepNewest: 5,
      inputsOf: ["Edit", "Write"],
      thinkingAfterIdleMinutes: 60,
    }),
    byCacheEdit({ atLeastResults: 12, keepNewest: 5 }),
    whenIdle({ minutes: 60, keepNewest: 5 }),
    bySize({ targetTokens: 40_000, minTokens: 20_000, keepNewest: 3, nearLimitTokens: 20_000 }),
  ],
  compact: {
    ...codingStub("balanced").compact,
    when: window(),
    expect: { keptTokens: 40_000, outputTokens: 4_000, comesBack: { tokens: 8_000, requests: 2 } },
  },
  notes: notesByGrowth({ firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 }),
  cache: fixedLifetimes("1h", "1h"),
};

export const STUBS: readonly Policy[] = [
  ...PROFILES.flatMap((profile) => [codingStub(profile), supportStub(profile)]),
  CLASSIC_STUB,
];
