import { heldIfZero, type Trial } from "../trial.ts";
import { attackAgent } from "./attack-agent.ts";

const RACE_MS = { full: 10_000, quick: 1_000 };

export const securityTrial: Trial = {
  name: "security",
  about: "everything that may try to get out of the agent's project",
  async run({ size, say }) {
    const { groups, cases, escapes, raceAttempts, skipped } = await attackAgent(RACE_MS[size], say);
    const byGroup = Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, group.cases]));
    return {
      found: {
        cases,
        escapes: escapes.length,
        race_attempts: raceAttempts,
        escaped: escapes,
        skipped,
        by_group: byGroup,
      },
      outcome: heldIfZero(escapes.length),
      skipped: Object.entries(skipped).map(([group, reason]) => `${group}: ${reason}`),
    };
  },
};
