import { RULE_POLICIES } from "@palimpsest/observe/replay";
import type { Experiment, Figures } from "../experiment.ts";
import { CONDITIONS } from "./conditions.ts";
import { crossValidate } from "./cross-validate.ts";
import { measureSessions } from "./measure-sessions.ts";
import { LIBRARY_RULES } from "./peer-rules.ts";
import { type EconomicsPlan, firstConditions } from "./plan-jobs.ts";
import { BASELINE, type SessionReport } from "./read-reports.ts";
import { recordedSessions } from "./recorded-sessions.ts";
import { OUTPUT_TOKENS_PER_SECOND, SECONDS_TO_FIRST_TOKEN } from "./score-session.ts";
import { figureName, toFigures } from "./to-figures.ts";

/** In every setting. */
const PROFILES = ["balanced", "economy", "quality"];
/** With the first price and lifetime of each window. */
const PARTS = [
  ...PROFILES.map((profile) => `${profile}-two-lifetimes`),
  "balanced-notes",
  "head-1h",
  "economic",
  "careful",
  "from-250k",
  "patient",
  "full-window",
];
const WHOLE: EconomicsPlan = {
  conditions: CONDITIONS.map(({ name }) => name),
  policies: PROFILES,
  parts: PARTS,
  rules: RULE_POLICIES.map(({ name }) => name),
  libraries: LIBRARY_RULES,
  foresight: "searched",
};

/** Of the sessions in order of their size, a few that together take a quarter of a minute. */
const QUICK = { from: 60, every: 18, sessions: 4 };
const QUICK_PLAN: EconomicsPlan = {
  conditions: ["200K/0.1/5m", "1M/0.1/5m"],
  policies: ["balanced"],
  rules: ["append-only", "plain-167k"],
  parts: [],
  libraries: [],
  foresight: "left-out",
};

/** Measures the cost of recorded sessions under our policies and those of others, and how much needed content was in view. */
export const economicsExperiment: Experiment = {
  name: "economics",
  about: "recorded sessions under our policies and those of others: price, needs met (PALIMPSEST_TRACES); resumable",
  needs: "traces",
  async run({ size, only }) {
    const all = recordedSessions();
    const { from, every, sessions } = QUICK;
    const few = all.slice(from).filter((_, index) => index % every === 0);
    if (size === "quick") return measure(few.slice(0, sessions), QUICK_PLAN);
    const conditions = WHOLE.conditions.filter((name) => only === undefined || name.includes(only));
    return measure(all, { ...WHOLE, conditions });
  },
};

async function measure(names: readonly string[], plan: EconomicsPlan): Promise<Figures> {
  const { failed, charges, reports } = await measureSessions(names, plan);
  const { sessions, ...figures } = toFigures(reports);
  return {
    sessions,
    failed: failed.length,
    failed_sessions: failed,
    recorded_output_ratio: Number(charges.outputRatio.toFixed(3)),
    assumed: { output_tokens_per_second: OUTPUT_TOKENS_PER_SECOND, seconds_to_first_token: SECONDS_TO_FIRST_TOKEN },
    ...figures,
    ...(plan.parts.length === 0 ? {} : { held_out: heldOut(reports, plan) }),
  };
}

/** For each window: the engine's policy that all other repositories speak for, scored on the one that had no say. */
function heldOut(reports: readonly SessionReport[], plan: EconomicsPlan): Figures {
  const { policies, parts } = plan;
  const firsts = firstConditions(plan).map(({ name }) => name);
  // Lifetimes are not what is chosen here: heads count as recorded.
  const candidates = [...policies, ...parts].filter((name) => !/-two-lifetimes$|^head-/.test(name));
  const question = { candidates, baseline: BASELINE, floor: "plain-167k", marginPoints: 0 };
  return Object.fromEntries(
    firsts.map((condition) => {
      const { chosen, held_out, choice_of_all } = crossValidate(reports, { ...question, conditions: [condition] });
      return [condition, { chosen, choice_of_all: figureName(choice_of_all), ...held_out[condition] }];
    }),
  );
}
