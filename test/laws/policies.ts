import {
  byCacheEdit,
  byProvider,
  bySize,
  classic,
  coding,
  fixedLifetimes,
  notesByGrowth,
  type Policy,
  storeBySize,
  toFit,
  whenCold,
  whenIdle,
  whenWarm,
  window,
  written,
} from "palimpsest/policy";

const KEEP = { keepNewest: 1, minTokens: 50 } as const;
const EDITS = { keepNewest: 1, aboveTokens: 50, freeAtLeastTokens: 1, inputsOf: ["write"] } as const;

const base: Policy = {
  ...coding(),
  store: storeBySize({ thresholdCharacters: 1_000, roundCharacters: 6_000 }),
  notes: notesByGrowth({ firstTokens: 500, growthTokens: 300, toolCalls: 2 }),
  weigh: { ...coding().weigh, horizonRequests: 500, marginShare: 0, regrowShare: 0 },
};

export const POLICY_NAMES = ["paying", "fixed", "compacting"] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** Policies with small numbers, so that every rule fires in a short session. */
export const POLICIES: Readonly<Record<PolicyName, Policy>> = {
  /** Clears if that saves money, in a cold and in a warm cache. */
  paying: {
    ...base,
    name: "paying",
    clear: [
      whenCold(KEEP),
      byCacheEdit({ ...KEEP, atLeastResults: 2 }),
      whenWarm({ ...KEEP, horizonRequests: 500 }),
      byProvider(EDITS),
      toFit({ ...KEEP, toShare: 0.6 }),
    ],
  },
  /** Clears by time and size, whatever it costs. */
  fixed: {
    ...base,
    name: "fixed",
    clear: [
      byProvider({ ...EDITS, thinkingAfterIdleMinutes: 60 }),
      byCacheEdit({ ...KEEP, atLeastResults: 2 }),
      whenIdle({ ...KEEP, minutes: 60 }),
      bySize({ ...KEEP, targetTokens: 100, nearLimitTokens: 1_000_000 }),
    ],
    cache: fixedLifetimes("1h", "1h"),
  },
  /** Compacts early, with a summary that needs no model. */
  compacting: {
    ...base,
    name: "compacting",
    clear: [whenCold(KEEP), whenWarm({ ...KEEP, horizonRequests: 500 })],
    compact: {
      ...classic.compact,
      when: window({ percent: 0.4 }),
      summary: written("law", async ({ transcript }) => `Earlier, ${transcript.length} characters were said.`),
    },
  },
};
