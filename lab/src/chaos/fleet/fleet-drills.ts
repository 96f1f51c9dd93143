import { heldIfZero, type Trial, type TrialOptions } from "../trial.ts";
import { CASES } from "./cases/cases.ts";
import type { CaseResult, FleetCase } from "./cases/fleet-case.ts";
import { fleetTrial } from "./fleet-trial.ts";
import { runCase } from "./run-case.ts";

/** Cases mostly wait. */
const CASES_AT_ONCE = 2;
const NOT_RUN: CaseResult = { wrong: [], figures: {} };

export const fleetDrills: Trial = {
  name: "fleet-drills",
  about:
    "networks, clocks, deploys, herds, zombies, poison and killed workers in a fleet; each drill fails without its guard",
  async run({ size, say }) {
    const results = await runAll(
      CASES.filter((one) => size === "full" || one.size === "gate"),
      size,
      say,
    );
    const kills = await fleetTrial.run({ size, say });
    const wrong = results.flatMap((result) => result.wrong.map((text) => `${result.name}: ${text}`));
    return {
      found: {
        drills: results.length,
        figures: Object.fromEntries(results.map(({ name, figures }) => [name, figures])),
        figures_with_restate: Object.fromEntries(results.map(({ name, restate }) => [name, restate])),
        // How much was wrong when the drill ran without this part of the product.
        wrong_without: Object.fromEntries(results.map(({ name, failed }) => [name, failed])),
        wrong,
        kills: kills.found,
      },
      outcome: kills.outcome === "held" ? heldIfZero(wrong.length) : "BROKEN",
    };
  },
};

interface ProvedCase {
  readonly name: string;
  readonly wrong: readonly string[];
  readonly figures: CaseResult["figures"];
  /** The same by Restate; nothing in the quick run. */
  readonly restate: CaseResult["figures"];
  /** What was wrong without each guard. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Runs cases, and in full each of them also without its guards: a case that does not fail then counts as wrong. */
async function runAll(
  cases: readonly FleetCase[],
  size: TrialOptions["size"],
  say: TrialOptions["say"],
): Promise<readonly ProvedCase[]> {
  // Whoever is free takes the next one.
  const left = cases.values();
  const done: ProvedCase[] = [];
  const work = async (): Promise<void> => {
    for (const next of left) {
      say(`${next.name}: ${next.about} ...`);
      const { wrong, figures } = await runCase(next, "postgres");
      // By the other scheduler, too; the guards are those of the product, whoever schedules.
      const other = size === "full" ? await runCase(next, "restate") : NOT_RUN;
      const failed: Record<string, number> = {};
      for (const guard of size === "full" ? next.guards : []) failed[guard] = await failuresWithout(next, guard);
      const proved = Object.entries(failed).flatMap(([guard, count]) =>
        count > 0 ? [] : [`holds without "${guard}"`],
      );
      const wrongThere = other.wrong.map((text) => `by Restate: ${text}`);
      done.push({
        name: next.name,
        wrong: [...wrong, ...wrongThere, ...proved],
        figures,
        restate: other.figures,
        failed,
      });
    }
  };
  await Promise.all(Array.from({ length: CASES_AT_ONCE }, work));
  return done;
}

/** In the case that kills in each phase, every session that was hit must have failed: so each kill hit a turn. */
async function failuresWithout(one: FleetCase, guard: string): Promise<number> {
  const { wrong, figures } = await runCase(one, "postgres", guard);
  const { kills, victims_stuck: stuck } = figures;
  return guard === "silence" && kills !== undefined && stuck !== kills ? 0 : wrong.length;
}
