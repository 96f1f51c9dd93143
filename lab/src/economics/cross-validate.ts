import type { SessionReport } from "./read-reports.ts";

/** What is held against what: prices relative to `baseline`, strict needs against `floor`. */
export interface Question {
  /** By default all conditions that the sessions were replayed under. */
  readonly conditions?: readonly string[];
  readonly candidates: readonly string[];
  readonly baseline: string;
  readonly floor: string;
  /** How far above the floor a choice has to be, in percentage points: the cheapest just above it is so by chance. */
  readonly marginPoints: number;
}

export interface CrossValidated {
  /** By the repository that was left out, the candidate that the others speak for. */
  readonly chosen: Readonly<Record<string, string>>;
  /** By condition: what the choices came to on the repositories that had no say in them. */
  readonly held_out: Readonly<Record<string, Score>>;
  /** What all repositories speak for. */
  readonly choice_of_all: string;
}

export interface Score {
  readonly cost_ratio: number;
  readonly needs_strict_pct: number;
  readonly floor_strict_pct: number;
}

/**
 * Chooses a setting on all repositories but one, and scores it on that one; for each in turn. First the floor: in every
 * condition it meets more strict needs than the floor does, by a margin. Among those the cheapest, by the mean over the conditions.
 */
export function crossValidate(reports: readonly SessionReport[], question: Question): CrossValidated {
  const conditions = question.conditions ?? Object.keys(reports[0]!.scores);
  const repositories = [...new Set(reports.map(({ repository }) => repository))].sort();
  const chosen = Object.fromEntries(
    repositories.map((left) => [left, choose(without(reports, left), conditions, question)]),
  );
  return {
    chosen,
    held_out: Object.fromEntries(
      conditions.map((condition) => [
        condition,
        scoreOf(reports, condition, ({ repository }) => chosen[repository]!, question),
      ]),
    ),
    choice_of_all: choose(reports, conditions, question),
  };
}

function without(reports: readonly SessionReport[], left: string): readonly SessionReport[] {
  return reports.filter(({ repository }) => repository !== left);
}

function choose(reports: readonly SessionReport[], conditions: readonly string[], question: Question): string {
  const scored = question.candidates.map((candidate) => {
    const scores = conditions.map((condition) => scoreOf(reports, condition, () => candidate, question));
    return {
      candidate,
      cost: scores.reduce((sum, { cost_ratio }) => sum + cost_ratio, 0),
      short: Math.max(
        0,
        ...scores.map((score) => score.floor_strict_pct + question.marginPoints - score.needs_strict_pct),
      ),
    };
  });
  // Where none reaches the floor, the one that comes nearest.
  scored.sort((one, other) => one.short - other.short || one.cost - other.cost);
  return scored[0]!.candidate;
}

function scoreOf(
  reports: readonly SessionReport[],
  condition: string,
  policyOf: (report: SessionReport) => string,
  { baseline, floor }: Question,
): Score {
  let [price, baselinePrice, needs, met, floorNeeds, floorMet] = [0, 0, 0, 0, 0, 0];
  for (const report of reports) {
    const results = report.scores[condition]!;
    const own = results[policyOf(report)]!;
    price += own.price;
    baselinePrice += results[baseline]!.price;
    needs += own.needs;
    met += own.strict;
    floorNeeds += results[floor]!.needs;
    floorMet += results[floor]!.strict;
  }
  return {
    cost_ratio: price / baselinePrice,
    needs_strict_pct: (100 * met) / Math.max(1, needs),
    floor_strict_pct: (100 * floorMet) / Math.max(1, floorNeeds),
  };
}
