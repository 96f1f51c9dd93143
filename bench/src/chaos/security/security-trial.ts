import { heldIfZero, type Trial } from "../trial.ts";
import { attackAgent } from "./attack-agent.ts";

const SIZES = { full: { raceMsPerTool: 10_000, stride: 1 }, quick: { raceMsPerTool: 1_000, stride: 7 } };

export const securityTrial: Trial = {
  name: "security",
  about: "everything that may try to get out of the agent's project",
  async run({ size, say }) {
    const { families, raceAttempts } = await attackAgent({ ...SIZES[size], say });
    const all = Object.entries(families);
    const escaped = all.flatMap(([name, { escapes }]) => escapes.map((line) => `${name}: ${line}`));
    const countBy = (count: (result: (typeof families)[string]) => number): Readonly<Record<string, number>> =>
      Object.fromEntries(all.map(([name, result]) => [name, count(result)]));
    return {
      found: {
        cases: all.reduce((sum, [, { cases }]) => sum + cases, 0),
        escapes: escaped.length,
        escaped,
        by_family: countBy(({ cases }) => cases),
        // Attacks that do no harm even with the guard removed: made, and not counted.
        harmless_by_family: countBy(({ harmless }) => harmless.length),
        race_attempts: raceAttempts,
      },
      outcome: heldIfZero(escaped.length),
    };
  },
};
