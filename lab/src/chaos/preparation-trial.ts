import { killPreparations } from "./kill-preparations.ts";
import { heldIfZero, type Trial } from "./trial.ts";

const KILLS = { full: 500, quick: 6 };

export const preparationTrial: Trial = {
  name: "chaos preparation",
  about: "processes that are killed while a summary is prepared or installed",
  async run({ size, say }) {
    say(`killing a process that prepares summaries ${KILLS[size]} times ...`);
    const losses = await killPreparations(KILLS[size]);
    const { lost, torn, installedTwice, installedAfterDrop, unusable } = losses;
    const { installedForRewoundRange, installedForChangedRange } = losses;
    return {
      found: {
        kills: losses.kills,
        kills_while_preparing: losses.killsWhilePreparing,
        kills_while_installing: losses.killsWhileInstalling,
        prepared: losses.prepared,
        dropped: losses.dropped,
        installed: losses.installed,
        boundaries_without: losses.boundariesWithout,
        rewinds: losses.rewinds,
        lost,
        torn,
        installed_twice: installedTwice,
        installed_after_drop: installedAfterDrop,
        installed_for_rewound_range: installedForRewoundRange,
        installed_for_changed_range: installedForChangedRange,
        unusable,
      },
      outcome: heldIfZero(
        ...[lost, torn, installedTwice, installedAfterDrop, unusable],
        ...[installedForRewoundRange, installedForChangedRange],
      ),
    };
  },
};
