import { PHASES, type Phase } from "../phases.ts";
import type { Place } from "../place.ts";
import { type Storm, storm } from "../storm.ts";
import { type CaseResult, type FleetCase, SOON } from "./fleet-case.ts";

interface KillOptions {
  readonly phases: readonly Phase[];
  readonly killsInPhase: number;
}

/** A small storm. */
function killIn(place: Place, { phases, killsInPhase }: KillOptions): Promise<Storm> {
  return storm(place, {
    workers: 2,
    phases,
    killsInPhase,
    killsAtRandom: 0,
    databaseKills: 0,
    engineKills: 0,
    killEveryMs: 100,
    turns: 0,
    // Enough for all kills, also if nobody continues what was killed.
    traffic: { sessions: 100, turnsEach: 5, turnsPerSecond: 4 },
    restWithinMs: 120_000,
    say: () => undefined,
  });
}

function resultOf({ lost, twice, stuck, refused, victims, unknownTold }: Storm): CaseResult {
  const wrong = [...lost, ...twice, ...stuck.map((job) => `stuck: ${job}`), ...refused];
  const isStuck = (session: string): boolean => stuck.some((job) => job.startsWith(`Job ${session}.`));
  return {
    wrong,
    figures: {
      kills: victims.length,
      victims_stuck: victims.filter(({ session }) => isStuck(session)).length,
      unknown_told: unknownTold,
    },
  };
}

/** Without the part that takes over sessions, every session whose worker is killed in any phase is stuck: so each kill hit a turn. */
export const killedInEachPhase: FleetCase = {
  name: "killed in each phase",
  about: "a worker is killed in each phase of a turn, and another one continues",
  guards: ["silence"],
  plan: SOON,
  run: async (place) => resultOf(await killIn(place, { phases: PHASES, killsInPhase: 1 })),
};

export const killedInTools: FleetCase = {
  name: "killed in tools",
  about: "a worker is killed while calls are under way that must not run twice",
  guards: ["beginnings", "keys"],
  plan: SOON,
  run: async (place) =>
    resultOf(await killIn(place, { phases: ["in a tool", "between result and append"], killsInPhase: 4 })),
};

export const killedWhileTakingIn: FleetCase = {
  name: "killed while taking in",
  about: "a worker is killed when a message is in the log and still in the inbox",
  guards: ["numbers"],
  plan: SOON,
  run: async (place) =>
    resultOf(await killIn(place, { phases: ["between taking in and acknowledging"], killsInPhase: 2 })),
};
