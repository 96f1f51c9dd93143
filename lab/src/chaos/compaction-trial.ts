import { killCompactions } from "./kill-compactions.ts";
import { heldIfZero, type Trial } from "./trial.ts";

const KILLS = { full: 520, quick: 6 };

export const compactionTrial: Trial = {
  name: "chaos compaction",
  about: "processes that are killed while they compact",
  async run({ size, say }) {
    say(`killing a compacting process ${KILLS[size]} times ...`);
    const { kills, killsInside, boundaries, lost, torn, unusable } = await killCompactions(KILLS[size]);
    return {
      found: { kills, kills_inside: killsInside, most_boundaries: boundaries, lost, torn, unusable },
      outcome: heldIfZero(lost, torn, unusable),
    };
  },
};
