// The policies of the experiment: the profiles as the agent ships them, each mechanism left out, and neighbors of the profiles.

import {
  CODING,
  type CodingNumbers,
  coding,
  fixedLifetimes,
  headByPauses,
  keepWarm,
  type Policy,
  type Profile,
  storeNothing,
  window,
} from "palimpsest/policy";
import { POINTS } from "./points.ts";

export const PROFILES: readonly Profile[] = ["balanced", "economy", "quality"];

/** The policy of a session in the terminal. */
function shipped(profile: Profile | CodingNumbers): Policy {
  return coding(profile, { keepWarm: keepWarm() });
}

/** Each profile as shipped, without prepared summaries, and without waiting for a compaction that only saves money. */
const PROFILE_POLICIES: Readonly<Record<string, Policy>> = Object.fromEntries(
  PROFILES.flatMap((profile) => {
    const policy = shipped(profile);
    const { compact } = policy;
    return [
      [profile, policy],
      [unprepared(profile), { ...policy, compact: { ...compact, prepareAhead: undefined, patience: "wait" } }],
      [whenRequired(profile), { ...policy, compact: { ...compact, patience: "when-required" } }],
    ] as const;
  }),
);

export function unprepared(profile: Profile): string {
  return `${profile}-unprepared`;
}

export function whenRequired(profile: Profile): string {
  return `${profile}-when-required`;
}

const balanced = shipped("balanced");
const changed = (numbers: Partial<CodingNumbers>): Policy => shipped({ ...CODING.balanced, ...numbers });
const between = (fromTokens: number, inTurnFromTokens: number): Policy =>
  changed({ fromTokens, inTurnFromTokens, unlessKeptWarm: undefined });

/** Neighbors of `balanced`: they show what another choice would cost and lose. */
export const FRONTIER: Readonly<Record<string, Policy>> = {
  "from-80k-120k": between(80_000, 120_000),
  "from-115k-150k": between(115_000, 150_000),
  "from-150k-167k": between(150_000, 167_000),
  "lines-6k": changed({ quotedLinesTokens: 6_000 }),
  "lines-20k": changed({ quotedLinesTokens: 20_000 }),
  "files-10k": changed({ filesTokens: 10_000 }),
};

/** Parts that no recording has material for, and those that the engine adds anyway. */
const NOT_MEASURED = new Set([
  ...["task", "rules", "pins", "agents", "todos"],
  ...["images", "skills", "plan", "tools", "folderRules", "files"],
]);

/** `balanced` without one of its mechanisms, for each that acts in recordings. */
export const ABLATION: Readonly<Record<string, Policy>> = {
  "without compaction that saves money": { ...balanced, compact: { ...balanced.compact, when: window() } },
  ...Object.fromEntries(
    balanced.clear.map((rule) => [
      `without clearing ${rule.name}`,
      { ...balanced, clear: balanced.clear.filter((other) => other !== rule) },
    ]),
  ),
  "without stored results": { ...balanced, store: storeNothing() },
  ...Object.fromEntries(
    balanced.compact.keep
      .filter(({ name }) => !NOT_MEASURED.has(name))
      .map((part) => [
        `without ${part.name}`,
        {
          ...balanced,
          compact: { ...balanced.compact, keep: balanced.compact.keep.filter((other) => other !== part) },
        },
      ]),
  ),
  "without a lifetime for the head": {
    ...balanced,
    cache: fixedLifetimes("5m", "5m", { keepWarm: keepWarm() }),
  },
  "without pings": { ...balanced, cache: headByPauses() },
};

const POLICIES: Readonly<Record<string, Policy>> = {
  ...PROFILE_POLICIES,
  ...FRONTIER,
  ...ABLATION,
  // The replay adds their rules, which know the recording.
  ...Object.fromEntries(POINTS.map((name) => [name, balanced])),
};

export function enginePolicy(name: string): Policy {
  const policy = POLICIES[name];
  if (policy === undefined)
    throw new Error(`There is no policy "${name}". Known: ${Object.keys(POLICIES).join(", ")}.`);
  return policy;
}
