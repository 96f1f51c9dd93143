import { heldIfZero, type Trial } from "../trial.ts";
import type { AttackedAgent, AttackedFamily } from "./attack-agent.ts";
import { attackAs } from "./attack-as.ts";

/** How many attacks of each family are made at most, by whom. */
const SIZES = {
  full: { self: Number.POSITIVE_INFINITY, nobody: Number.POSITIVE_INFINITY },
  quick: { self: 2, nobody: 1 },
};

export const attacks: Trial = {
  name: "attacks",
  about: "attacks on the agent by commands, files, settings and pages, as root and as nobody",
  async run({ size, say }) {
    const { self, nobody } = SIZES[size];
    const isRoot = process.getuid?.() === 0;
    // Side by side: attacks wait more than they work.
    const [own, asNobody] = await Promise.all([
      attackAs("self", { atMost: self, say }),
      ...(isRoot ? [attackAs("nobody", { atMost: nobody, say })] : []),
    ]);
    const everywhere = [own!, ...(asNobody === undefined ? [] : [asNobody])];
    const escaped = [
      ...escapesOf(own!, isRoot ? "root" : "user"),
      ...(asNobody === undefined ? [] : escapesOf(asNobody, "nobody")),
    ];
    return {
      found: {
        // Only attacks that succeed with their guard removed. The same attacks as another user are not counted twice.
        cases: sum(own!, ({ cases }) => cases),
        escapes: escaped.length,
        by_family: countBy(own!, ({ cases }) => cases),
        // The guard that each family was made without, in its control runs.
        guards: Object.fromEntries(Object.entries(own!.families).map(([name, { guard }]) => [name, guard])),
        // Attacks that do no harm even with the guard removed: made, and not counted.
        harmless: sum(own!, ({ harmless }) => harmless.length),
        harmless_by_family: countBy(own!, ({ harmless }) => harmless.length),
        // Attacks that are not prevented, but told to the user in the result of the command: made, and not counted.
        reported_only: sum(own!, ({ reportedOnly }) => reportedOnly.length),
        cases_as_nobody: sum(everywhere.at(-1)!, ({ cases }) => cases),
        seconds_by_family: countBy(own!, ({ seconds }) => seconds),
        escaped,
      },
      outcome: heldIfZero(escaped.length),
    };
  },
};

function escapesOf({ families }: AttackedAgent, user: string): readonly string[] {
  return Object.entries(families).flatMap(([name, { escapes }]) => escapes.map((line) => `${user}: ${name}: ${line}`));
}

function countBy({ families }: AttackedAgent, count: (result: AttackedFamily) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(families).map(([name, result]) => [name, count(result)]));
}

function sum(attacked: AttackedAgent, count: (result: AttackedFamily) => number): number {
  return Object.values(countBy(attacked, count)).reduce((total, part) => total + part, 0);
}
