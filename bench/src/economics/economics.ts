import { ENGINE_POLICIES, RULE_POLICIES } from "@palimpsest/replay";
import type { Bench, Figures } from "../bench.ts";
import { CONDITIONS } from "./conditions.ts";
import type { EconomicsPlan } from "./economics-process.ts";
import { recordedSessions, replayAll } from "./replay-all.ts";
import { toFigures } from "./to-figures.ts";

/** In every setting. What the parts of the defaults do by themselves is looked at in the first price and lifetime. */
const COMPARED = ["default", "economy", "quality", "economic", "careful", "from-250k", "patient"];
const WHOLE: Omit<EconomicsPlan, "path"> = {
  conditions: CONDITIONS.map(({ name }) => name),
  policies: COMPARED,
  parts: ENGINE_POLICIES.map(({ name }) => name).filter((name) => !COMPARED.includes(name)),
  rules: RULE_POLICIES.map(({ name }) => name),
  libraries: "called",
  limit: "searched",
};

/** Of the sessions in order of their size, a few that together take half a minute. */
const QUICK = { from: 60, every: 9, sessions: 8 };
const QUICK_PLAN: Omit<EconomicsPlan, "path"> = {
  conditions: ["200K/0.1/5m", "1M/0.1/5m"],
  policies: ["default"],
  rules: ["append-only", "window167"],
  parts: [],
  libraries: "left-out",
  limit: "left-out",
};

/** Measures the cost of recorded sessions under our policies and those of others, and how much needed content was in view. */
export const economicsBench: Bench = {
  name: "economics",
  figures: "counts",
  about: "recorded sessions under our policies and those of others: price, needs met, a limit (PALIMPSEST_TRACES)",
  needs: "traces",
  async run({ size }) {
    const all = recordedSessions();
    const { from, every, sessions } = QUICK;
    const few = all.slice(from).filter((_, index) => index % every === 0);
    const reports = size === "quick" ? replayAll(few.slice(0, sessions), QUICK_PLAN) : replayAll(all, WHOLE);
    return toFigures(await reports) satisfies Figures;
  },
};
