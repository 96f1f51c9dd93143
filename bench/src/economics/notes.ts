import type { Bench } from "../bench.ts";
import { measureSessions } from "./measure-sessions.ts";
import type { EconomicsPlan } from "./plan-jobs.ts";
import { BASELINE } from "./read-reports.ts";
import { recordedSessions } from "./recorded-sessions.ts";
import { toFigures } from "./to-figures.ts";

const PROFILES = ["balanced", "economy", "quality"];
/** Of the sessions in order of their size, every so many, with the largest. */
const EVERY = { full: 5, quick: 31 };

const PLAN: EconomicsPlan = {
  conditions: ["200K/0.1/5m", "1M/0.1/5m"],
  policies: PROFILES.flatMap((profile) => [`${profile}-two-lifetimes`, `${profile}-notes`]),
  parts: [],
  rules: [BASELINE],
  libraries: [],
  foresight: "left-out",
};

/** Whether session notes pay: each profile as shipped, without and with them. */
export const notesBench: Bench = {
  name: "notes",
  figures: "counts",
  about: "what session notes cost and save in each profile, on recorded sessions (PALIMPSEST_TRACES); resumable",
  needs: "traces",
  async run({ size, only = "" }) {
    const names = recordedSessions().filter((_, index, { length }) => (length - 1 - index) % EVERY[size] === 0);
    const conditions = PLAN.conditions.filter((name) => name.includes(only));
    const { failed, reports } = await measureSessions(names, { ...PLAN, conditions });
    return { failed: failed.length, ...toFigures(reports) };
  },
};
