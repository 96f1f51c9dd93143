import type { Bench, Figures } from "../bench.ts";
import { CANDIDATES } from "./candidates.ts";
import { crossValidate } from "./cross-validate.ts";
import { recordedSessions, replayAll } from "./replay-all.ts";
import { toFigures } from "./to-figures.ts";

/** The dearest reads and the cheapest, in the window where the floor is hardest to meet; and the larger window. */
const TUNED_ON = ["200K/0.1/5m", "200K/0.025/1h", "1M/0.1/5m"];
/** Every so many sessions, in the order of their names: the rest is for the figures. */
const EVERY = { full: 2, quick: 12 };

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
    const [baseline, floor] = ["append-only", "window167"];
    const reports = await replayAll(chosen, {
      ...{ conditions: TUNED_ON, policies: candidates, rules: [baseline, floor] },
      ...{ libraries: "left-out", limit: "left-out" },
    });
    return { ...crossValidate(reports, { candidates, baseline, floor }), ...toFigures(reports) } satisfies Figures;
  },
};
