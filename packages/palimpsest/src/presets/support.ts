// The policy of a support desk: short turns, long pauses, and facts about one customer. The numbers are a starting point, and were not
// measured on recorded sessions.

import { images } from "../compact/parts/attachments.ts";
import { task, userMessages } from "../compact/parts/floor.ts";
import { matching } from "../compact/parts/matching.ts";
import { sections } from "../compact/summary/forms.ts";
import type { Policy } from "../policy/policy.ts";
import { fixedLifetimes } from "../policy/rules/cache.ts";
import { toFit, whenCold } from "../policy/rules/clear.ts";
import { beforeMark } from "../policy/rules/range.ts";
import { storeBySize } from "../policy/rules/store.ts";
import { afterMark, anyOf, economic, window } from "../policy/rules/when.ts";
import { PROFILE, type Profile, SUPPORT, type SupportNumbers, WEIGH } from "../policy/weigh.ts";
import { A_COUNT, checkAllOptions, ifGiven, type Needed } from "../schema/check-options.ts";

export interface SupportOptions {
  /** The form of your order or ticket numbers, such as `/ORD-\d{6}/`. Every number that occurs survives a compaction. */
  readonly ids: RegExp;
  /** A profile, or your own numbers. @default "balanced" */
  readonly profile?: Profile | SupportNumbers;
}

const SECTIONS = {
  Customer: "Who the customer is, what they bought, how to reach them, and how satisfied they are.",
  Facts: "What is certain by now, each fact with its order, invoice or ticket number.",
  Promises: "What we promised and by when, and which promises are kept already.",
  "Tried so far": "What we suggested, and the result of each suggestion.",
  Open: "What is still open, and who has to act next.",
} as const;

/** The policy of a support desk. Call `session.mark("ticket", "closed")` when a ticket is done: a compaction follows. */
export function support(options: SupportOptions): Policy {
  checkAllOptions("support", options, OPTIONS);
  const { ids, profile = "balanced" } = options;
  const numbers = numbersOf(profile);
  const { fromTokens, summaryTokens, userMessagesTokens, keepNewest } = numbers;
  return {
    name: typeof profile === "string" ? `support, ${profile}` : "support",
    store: storeBySize({ thresholdCharacters: 20_000 }),
    clear: [whenCold({ keepNewest }), toFit({ keepNewest, toShare: 0.6 })],
    compact: {
      when: anyOf(
        window(),
        afterMark("ticket", { fromTokens: fromTokens / 2 }),
        economic({ fromTokens, inTurnFromTokens: 2 * fromTokens }),
      ),
      range: beforeMark("ticket"),
      summary: sections(SECTIONS, { maxTokens: summaryTokens, required: ["Promises", "Open"] }),
      keep: [
        task(),
        matching(ids, { name: "ids", heading: "Numbers that were named:", maxTokens: 1_500 }),
        userMessages({ maxTokens: userMessagesTokens }),
        images({ newest: 2, maxTokens: 4_000 }),
      ],
      expect: {
        keptTokens: summaryTokens + userMessagesTokens,
        outputTokens: summaryTokens / 2,
        comesBack: { tokens: 2_000, requests: 1 },
      },
      patience: "wait",
      minShrinkShare: 0.2,
    },
    // Customers answer after minutes. All sessions share the head, so the other sessions keep it warm.
    cache: fixedLifetimes("1h", "5m"),
    weigh: { ...WEIGH, horizonRequests: 20 },
  };
}

const PROFILE_OR_NUMBERS: Needed = {
  needed: `${PROFILE.needed}, or numbers`,
  fits: (value) => PROFILE.fits(value) || typeof value === "object",
};

const OPTIONS: Readonly<Record<keyof SupportOptions, Needed>> = {
  ids: { needed: "a pattern, such as /ORD-\\d{6}/", fits: (value) => value instanceof RegExp },
  profile: ifGiven(PROFILE_OR_NUMBERS),
};

const NUMBERS: Readonly<Record<keyof SupportNumbers, Needed>> = {
  fromTokens: A_COUNT,
  summaryTokens: A_COUNT,
  userMessagesTokens: A_COUNT,
  keepNewest: A_COUNT,
};

function numbersOf(profile: Profile | SupportNumbers): SupportNumbers {
  if (typeof profile === "string") return SUPPORT[profile];
  checkAllOptions("support", profile, NUMBERS);
  return profile;
}
