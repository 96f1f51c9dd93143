// The policy of a coding agent. The numbers were chosen by replaying recorded sessions; docs/economics.md has the figures.

import { files, folderRules, images, plan, skills, tools } from "../compact/parts/attachments.ts";
import { agents, pins, rules, task, todos, userMessages } from "../compact/parts/floor.ts";
import { rareLines } from "../compact/parts/rare-lines.ts";
import { evidence, latestResults, quotedLines } from "../compact/parts/record.ts";
import { codingSummary } from "../compact/summary/forms.ts";
import type { KeepPart, NotesRule, Policy, WarmRule } from "../policy/policy.ts";
import { nearCompaction } from "../policy/rules/ahead.ts";
import { headByPauses } from "../policy/rules/cache.ts";
import { toFit, whenCold } from "../policy/rules/clear.ts";
import { keepWarm } from "../policy/rules/keep-warm.ts";
import { notesWhenTheyPay } from "../policy/rules/notes.ts";
import { everything } from "../policy/rules/range.ts";
import { storeBySize } from "../policy/rules/store.ts";
import { anyOf, economic, whenProposed, window } from "../policy/rules/when.ts";
import { CODING, type CodingNumbers, PROFILE, type Profile, WEIGH } from "../policy/weigh.ts";
import {
  A_COUNT,
  anObject,
  aText,
  checkAllOptions,
  checkArgument,
  ifGiven,
  MAYBE_A_COUNT,
  type Needed,
} from "../schema/check-options.ts";
import type { DefaultPolicySettings } from "../settings/settings.ts";

export interface CodingOptions {
  /** Compact at this percentage of the usable window, if that is earlier. @default 100 */
  readonly compactAtPercent?: number;
  /** The model that writes summaries. @default the session's own model */
  readonly summaryModel?: string | undefined;
  /** @default no notes */
  readonly notes?: NotesRule;
  /** Keeps the prompt in the cache during pauses, such as `keepWarm()`. @default no pings */
  readonly keepWarm?: WarmRule | undefined;
}

/** The policy of a coding agent, with the numbers of a profile or your own. */
export function coding(profile: Profile | CodingNumbers = "balanced", options: CodingOptions = {}): Policy {
  checkAllOptions("coding", options, OPTIONS);
  const numbers = numbersOf(profile);
  const { fromTokens, inTurnFromTokens, unlessKeptWarm, aboveWindowTokens, keepNewest } = numbers;
  const { compactAtPercent: percent = 100, summaryModel: model, notes, keepWarm } = options;
  const policy: Policy = {
    name: typeof profile === "string" ? `coding, ${profile}` : "coding",
    store: storeBySize(),
    clear: [whenCold({ keepNewest }), toFit({ keepNewest, toShare: 0.6 })],
    compact: {
      when: anyOf(window({ percent }), economic({ fromTokens, inTurnFromTokens, unlessKeptWarm, aboveWindowTokens })),
      range: everything,
      summary: codingSummary({ model }),
      keep: codingParts(numbers),
      prepareAhead: nearCompaction({ idleShare: 0.95, inTurnShare: 0.9, maxTailTokens: 20_000 }),
      expect: {
        keptTokens: 30_000,
        outputTokens: 4_000,
        comesBack: { tokens: 8_000, requests: 2 },
      },
      patience: "wait",
      minShrinkShare: 0.2,
    },
    cache: headByPauses({ keepWarm }),
    weigh: WEIGH,
  };
  return notes === undefined ? policy : { ...policy, notes };
}

const OPTIONS = {
  compactAtPercent: MAYBE_A_COUNT,
  summaryModel: ifGiven(aText("the id of a model")),
  notes: ifGiven(anObject("a rule, such as codingNotes()")),
  keepWarm: ifGiven(anObject("a rule, such as keepWarm()")),
};

const NUMBERS: Readonly<Record<keyof CodingNumbers, Needed>> = {
  fromTokens: A_COUNT,
  inTurnFromTokens: A_COUNT,
  unlessKeptWarm: ifGiven(anObject("an object with fromTokens and inTurnFromTokens")),
  aboveWindowTokens: A_COUNT,
  keepNewest: A_COUNT,
  filesTokens: A_COUNT,
  quotedLinesTokens: A_COUNT,
};

function numbersOf(profile: Profile | CodingNumbers): CodingNumbers {
  if (typeof profile === "string") {
    checkArgument("The profile of coding()", profile, PROFILE);
    return CODING[profile];
  }
  checkAllOptions("coding", profile, NUMBERS);
  return profile;
}

/** The parts stand in the view in this order. */
function codingParts({ filesTokens, quotedLinesTokens }: CodingNumbers): readonly KeepPart[] {
  return [
    task({ maxTokens: 20_000 }),
    userMessages({ maxTokens: 20_000 }),
    rules(),
    // Rendered after the next two, so that it repeats none of their lines.
    // The lines of a todo list that was replaced would mislead the model.
    rareLines({ maxTokens: 4_000, exceptTools: ["Todo"] }),
    evidence({ maxTokens: 8_000 }),
    quotedLines({ maxTokens: quotedLinesTokens }),
    pins(),
    agents(),
    todos(),
    latestResults({ maxTokens: 10_000 }),
    ...(filesTokens === 0 ? [] : [files({ maxTokens: filesTokens })]),
    images({ newest: 2, maxTokens: 8_000 }),
    skills({ maxTokens: 25_000 }),
    plan({ maxTokens: 20_000 }),
    tools({ maxTokens: 20_000 }),
    folderRules({ maxTokens: 10_000 }),
  ];
}

/** Notes of a coding session, updated when an update saves more than it costs. */
export function codingNotes(): NotesRule {
  return notesWhenTheyPay({ beforeColdShare: 0.2, nearTokens: 10_000 });
}

/** The policy of sessions that are opened without one: `coding`, with the changes that the settings describe. */
export function policyOfSettings({
  profile,
  compactAt,
  summaryModel,
  notes,
  ...settings
}: DefaultPolicySettings): Policy {
  const policy = coding(profile, {
    compactAtPercent: compactAt,
    summaryModel: summaryModel === "" ? undefined : summaryModel,
    keepWarm: settings.keepWarm === "on" ? keepWarm() : undefined,
    ...(notes === "on" ? { notes: codingNotes() } : {}),
  });
  if (settings.compactTool === "off") return policy;
  return { ...policy, compact: { ...policy.compact, when: anyOf(policy.compact.when, whenProposed()) } };
}
