import { heldIfZero, type Trial } from "../trial.ts";
import type { FamilyResult } from "./attack.ts";
import { type AttackedAgent, attackAgent } from "./attack-agent.ts";
import { attackUnprivileged } from "./attack-unprivileged.ts";

/** Quick ones make every n-th attack; as nobody, every n-th of another n. */
const SIZES = {
  full: { raceMsPerTool: 10_000, stride: 1, strideAsNobody: 1 },
  quick: { raceMsPerTool: 500, stride: 29, strideAsNobody: 61 },
};

export const securityTrial: Trial = {
  name: "security",
  about: "everything that may try to get out of the agent's project, as root and as nobody",
  async run({ size, say }) {
    const { raceMsPerTool, stride, strideAsNobody } = SIZES[size];
    const own = await attackAgent({ raceMsPerTool, stride, say });
    const asRoot = process.getuid?.() === 0;
    const asNobody = asRoot ? await attackUnprivileged({ raceMsPerTool, stride: strideAsNobody, say }) : own;
    const escaped = [...escapesOf(own, asRoot ? "root" : "user"), ...(asRoot ? escapesOf(asNobody, "nobody") : [])];
    return {
      found: {
        // The same attacks as another user are not counted twice.
        cases: sum(own, ({ cases }) => cases),
        escapes: escaped.length,
        by_family: countBy(own, ({ cases }) => cases),
        // Attacks that do no harm even with the guard removed: made, and not counted.
        harmless: sum(own, ({ harmless }) => harmless.length),
        harmless_by_family: countBy(own, ({ harmless }) => harmless.length),
        cases_as_nobody: sum(asNobody, ({ cases }) => cases),
        race_attempts: own.raceAttempts,
        escaped,
      },
      outcome: heldIfZero(escaped.length),
    };
  },
};

function escapesOf({ families }: AttackedAgent, user: string): readonly string[] {
  return Object.entries(families).flatMap(([name, { escapes }]) => escapes.map((line) => `${user}: ${name}: ${line}`));
}

function countBy({ families }: AttackedAgent, count: (result: FamilyResult) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(families).map(([name, result]) => [name, count(result)]));
}

function sum(attacked: AttackedAgent, count: (result: FamilyResult) => number): number {
  return Object.values(countBy(attacked, count)).reduce((total, part) => total + part, 0);
}
