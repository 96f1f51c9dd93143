import type { Bench, Figures } from "../bench.ts";
import { CANDIDATES, TUNED_PROFILES } from "./candidates.ts";
import { crossValidate } from "./cross-validate.ts";
import { measureSessions } from "./measure-sessions.ts";
import type { EconomicsPlan } from "./plan-jobs.ts";
import { BASELINE } from "./read-reports.ts";
import { recordedSessions } from "./recorded-sessions.ts";
import { toFigures } from "./to-figures.ts";

/** The smaller window and the usual price. Whether one setting holds for the others is what `economics` shows. */
const TUNED_ON = ["200K/0.1/5m"];
/** Every so many sessions, in the order of their names. */
const EVERY = { full: 1, quick: 31 };
const FLOOR = "plain-167k";

/** How the defaults were chosen: candidates, each scored on repositories that had no say in the choice. */
export const tuningBench: Bench = {
  name: "tuning",
  about: "candidates for the defaults, chosen without the repository that they are scored on (PALIMPSEST_TRACES)",
  needs: "traces",
  async run({ size }) {
    const chosen = recordedSessions()
      .toSorted()
      .filter((_, index) => index % EVERY[size] === 0);
    const plan: EconomicsPlan = {
      conditions: TUNED_ON,
      policies: CANDIDATES.map(({ name }) => name),
      parts: [],
      rules: [BASELINE, FLOOR],
      libraries: [],
      foresight: "left-out",
    };
    const { reports } = await measureSessions(chosen, plan);
    const chosenFor = TUNED_PROFILES.map(({ profile, marginPoints, candidates }): [string, Figures] => {
      const names = candidates.map(({ name }) => name);
      const question = { candidates: names, baseline: BASELINE, floor: FLOOR, marginPoints };
      return [profile, { ...crossValidate(reports, question) }];
    });
    return { ...Object.fromEntries(chosenFor), ...toFigures(reports) };
  },
};
