import type { ReplayRun } from "@palimpsest/observe/replay";
import { type Charges, outputSums } from "./charge-run.ts";
import { pricesOf } from "./conditions.ts";
import type { TogetherCounts } from "./count-together.ts";
import { readFacts, readRuns } from "./kept-results.ts";
import { conditionsOf, type EconomicsPlan, foresightJob, planCells } from "./plan-jobs.ts";
import type { PlannedSession } from "./recorded-sessions.ts";
import { type PricedRun, priceRun, type Score, scoreRun } from "./score-session.ts";

/** One session, by condition and policy. */
export interface SessionReport {
  readonly name: string;
  readonly repository: string;
  readonly agent: string;
  readonly rounds: number;
  readonly userMessages: number;
  readonly together: TogetherCounts;
  readonly scores: Readonly<Record<string, Readonly<Record<string, Score>>>>;
}

/** Everything is told relative to this. */
export const BASELINE = "append-only";
/** The best known choice for each session, made afterwards, meets at least as many strict needs as this. */
const FLOOR = "plain-167k";
export const BEST_KNOWN = "best-known";

/** Reads the kept results of sessions and scores them. The ratio of recorded output is that of all of them. */
export function readReports(
  sessions: readonly PlannedSession[],
  plan: EconomicsPlan,
): { readonly charges: Charges; readonly reports: readonly SessionReport[] } {
  const charges = { outputRatio: outputRatioOf(sessions, plan) };
  return { charges, reports: sessions.map((session) => reportOf(session, plan, charges)) };
}

function outputRatioOf(sessions: readonly PlannedSession[], plan: EconomicsPlan): number {
  const cell = planCells(plan).find(({ policy }) => policy === BASELINE)!;
  let [recorded, replayed] = [0, 0];
  for (const { fileOf } of sessions) {
    const sums = outputSums(readRuns(fileOf(cell.job))[cell.run]!, readFacts(fileOf({ kind: "facts" })));
    recorded += sums.recorded;
    replayed += sums.replayed;
  }
  return replayed === 0 ? 1 : recorded / replayed;
}

function reportOf({ name, repository, fileOf }: PlannedSession, plan: EconomicsPlan, charges: Charges): SessionReport {
  const facts = readFacts(fileOf({ kind: "facts" }));
  const files = new Map<string, Readonly<Record<string, ReplayRun>>>();
  const runsIn = (file: string): Readonly<Record<string, ReplayRun>> => {
    const runs = files.get(file) ?? readRuns(file);
    files.set(file, runs);
    return runs;
  };
  const scores: Record<string, Record<string, Score>> = {};
  const cells = Map.groupBy(planCells(plan), ({ condition }) => condition.name);
  for (const condition of conditionsOf(plan)) {
    const prices = pricesOf(condition.readShare);
    const price = (run: ReplayRun): PricedRun => priceRun(run, facts, charges, prices);
    const priced = new Map(
      cells.get(condition.name)!.map(({ policy, job, run }) => [policy, price(runsIn(fileOf(job))[run]!)]),
    );
    const baseline = priced.get(BASELINE)!;
    const foreseen = plan.foresight === "searched" ? Object.values(runsIn(fileOf(foresightJob(condition)))) : [];
    const best = bestOf([...priced.values(), ...foreseen.map(price)], priced.get(FLOOR));
    if (foreseen.length > 0 && best !== undefined) priced.set(BEST_KNOWN, best);
    scores[condition.name] = Object.fromEntries(
      Array.from(priced, ([policy, run]) => [policy, scoreRun(run, baseline, condition.readShare)]),
    );
  }
  const { agent, rounds, userMessages, together } = facts;
  return { name, repository, agent, rounds, userMessages, together, scores };
}

/** The cheapest of all that were tried, with knowledge of the future or without, that meets enough needs. */
function bestOf(runs: readonly PricedRun[], floor: PricedRun | undefined): PricedRun | undefined {
  const enough = runs.filter(({ run }) => run.needs.strict >= (floor?.run.needs.strict ?? 0));
  return enough.toSorted((one, other) => one.priceAtStop.at(-1)! - other.priceAtStop.at(-1)!)[0];
}
