import type { Bench, Figures } from "../bench.ts";
import { CANDIDATES } from "./candidates.ts";
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
/** Without one, the choice fell below the floor on what was held out. */
const MARGIN_POINTS = 0.1;
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
    const candidates = CANDIDATES.map(({ name }) => name);
    const plan: EconomicsPlan = {
      conditions: TUNED_ON,
      policies: candidates,
      parts: [],
      rules: [BASELINE, FLOOR],
      libraries: [],
      foresight: "left-out",
    };
    const { reports } = await measureSessions(chosen, plan);
    return {
      ...crossValidate(reports, { candidates, baseline: BASELINE, floor: FLOOR, marginPoints: MARGIN_POINTS }),
      ...toFigures(reports),
    } satisfies Figures;
  },
};
