import type { Figures } from "../experiment.ts";
import { median } from "../statistics.ts";
import { type Draws, draws, type Interval, intervalOf } from "./bootstrap.ts";
import { BASELINE, BEST_KNOWN, type SessionReport } from "./read-reports.ts";
import type { Score } from "./score-session.ts";

const PROFILES = ["quality", "balanced", "economy"];

/** Sums over all sessions, by condition and policy. */
export function toFigures(reports: readonly SessionReport[]): Figures {
  const conditions = Object.keys(reports[0]?.scores ?? {});
  const firsts = [...Map.groupBy(conditions, (name) => name.split("/")[0]).values()].map(([first]) => first!);
  const byAgent = Map.groupBy(reports, ({ agent }) => agent);
  return {
    sessions: reports.length,
    requests: reports.reduce((sum, { rounds }) => sum + rounds, 0),
    user_messages: reports.reduce((sum, { userMessages }) => sum + userMessages, 0),
    read_only_rounds: reports.reduce((sum, { together }) => sum + together.readRounds, 0),
    // At most: a call may depend on a result in ways that its words do not show.
    rounds_saved_by_calls_together: reports.reduce((sum, { together }) => sum + together.savedRounds, 0),
    by_setting: byName(conditions, (condition) => conditionFigures(reports, condition)),
    by_agent: byName([...byAgent.keys()].sort(), (agent) => {
      const own = byAgent.get(agent)!;
      return { sessions: own.length, by_setting: byName(firsts, (condition) => agentFigures(own, condition)) };
    }),
  };
}

/** Figures have names of one form: `plain-80k` is `plain_80k`. */
export function figureName(policy: string): string {
  return policy.replaceAll("-", "_");
}

function conditionFigures(reports: readonly SessionReport[], condition: string): Figures {
  const table = tableOf(reports, condition);
  const clusters = table.clustered(reports.map(({ repository }) => repository));
  const userMessages = reports.reduce((sum, session) => sum + session.userMessages, 0);
  const stops = (policy: string): readonly number[] => table.ratios(policy);
  const { policies, each, sum, percent } = table;
  return {
    ...mainFigures(table),
    cost_ratio_by_repository: each((policy) => rounded(clusters.cost(policy), 3)),
    bare_cost_ratio: each((policy) => digits(sum(policy, "barePrice") / sum(BASELINE, "barePrice"), 3)),
    names_met_pct: each((policy) => {
      const names = sum(policy, "needs") - sum(policy, "lines");
      return digits((100 * (sum(policy, "met") - sum(policy, "linesMet"))) / Math.max(1, names), 2);
    }),
    refetches: each((policy) => sum(policy, "refetches")),
    compactions: each((policy) => sum(policy, "compactions")),
    compactions_per_user_message: each((policy) => digits(sum(policy, "compactions") / Math.max(1, userMessages), 3)),
    seconds_waited_per_user_message: each((policy) =>
      digits(sum(policy, "waitedSeconds") / Math.max(1, userMessages), 1),
    ),
    summaries_cost_pct: each((policy) => digits(percent(policy, "summaryPrice", "price"), 2)),
    second_summaries_cost_pct: each((policy) => digits(percent(policy, "secondSummaryPrice", "price"), 2)),
    cold_summaries_extra_pct: each((policy) => digits(percent(policy, "coldSummaryExtra", "price"), 2)),
    cache_hit_pct: each((policy) => digits(percent(policy, "readTokens", "inputTokens"), 1)),
    mean_context_tokens: each((policy) => Math.round(sum(policy, "conversationTokens") / sum(policy, "requests"))),
    dearer_sessions_pct: each((policy) =>
      digits((100 * stops(policy).filter((ratio) => ratio > 1).length) / reports.length, 1),
    ),
    median_session: each((policy) => digits(median(stops(policy)), 3)),
    worst_session: each((policy) => digits(Math.max(...stops(policy)), 3)),
    dearer_stops_pct: each((policy) => digits(percent(policy, "dearStops", "requests"), 2)),
    dearer_early_stops_pct: each((policy) => digits(percent(policy, "dearEarlyStops", "earlyStops"), 2)),
    worst_stop: each((policy) => digits(Math.max(...table.of(policy).map(({ worstStop }) => worstStop)), 2)),
    ...(policies.includes(BEST_KNOWN)
      ? { of_best_known: each((policy) => digits(sum(policy, "price") / sum(BEST_KNOWN, "price"), 3)) }
      : {}),
    against_plain: byName(
      PROFILES.filter((profile) => policies.includes(profile)),
      (profile) =>
        byName(
          policies.filter((policy) => policy.startsWith("plain-")),
          (plain) => ({
            cost: rounded(table.costDifference(profile, plain), 3),
            needs_strict_pct: rounded(table.strictDifference(profile, plain), 2),
          }),
        ),
    ),
  };
}

function agentFigures(reports: readonly SessionReport[], condition: string): Figures {
  return mainFigures(tableOf(reports, condition));
}

function mainFigures(table: ScoreTable): Figures {
  const { each, percent } = table;
  return {
    cost_ratio: each((policy) => rounded(table.cost(policy), 3)),
    needs_strict_pct: each((policy) => digits(percent(policy, "strict", "needs"), 2)),
    edit_lines_unmet_pct: each((policy) => digits(100 - percent(policy, "linesMet", "lines"), 2)),
    needs_met_pct: each((policy) => digits(percent(policy, "met", "needs"), 2)),
  };
}

type ScoreTable = ReturnType<typeof tableOf>;
type Field = keyof Score;

/** The scores of one condition: a row for each session or group of sessions. */
function tableOf(reports: readonly SessionReport[], condition: string) {
  const rows = reports.map(({ scores }) => scores[condition]!);
  const policies = Object.keys(rows[0]!).filter((policy) => rows.every((row) => row[policy] !== undefined));
  const drawn = draws(rows.length, "sessions");
  const of = (policy: string): readonly Score[] => rows.map((row) => row[policy]!);
  const sum = (policy: string, field: Field): number => of(policy).reduce((total, score) => total + score[field], 0);
  const percent = (policy: string, part: Field, whole: Field): number =>
    (100 * sum(policy, part)) / Math.max(1, sum(policy, whole));
  const column = (policy: string, field: Field): readonly number[] => of(policy).map((score) => score[field]);
  const prices = (policy: string): readonly number[] => column(policy, "price");
  const strict = (policy: string): ((sample: readonly number[]) => number) => {
    const [met, needs] = [column(policy, "strict"), column(policy, "needs")];
    return (sample) => (100 * total(met, sample)) / Math.max(1, total(needs, sample));
  };
  return {
    policies,
    of,
    sum,
    percent,
    each: <Value>(figure: (policy: string) => Value) => byName(policies, figure),
    /** The price of each session relative to the baseline. */
    ratios: (policy: string): readonly number[] =>
      prices(policy).map((price, index) => price / prices(BASELINE)[index]!),
    cost: (policy: string): Interval => ratioInterval(prices(policy), prices(BASELINE), drawn),
    costDifference(one: string, other: string): Interval {
      const difference = prices(one).map((price, index) => price - prices(other)[index]!);
      return ratioInterval(difference, prices(BASELINE), drawn);
    },
    strictDifference(one: string, other: string): Interval {
      const [ofOne, ofOther] = [strict(one), strict(other)];
      return intervalOf(rows.length, drawn, (sample) => ofOne(sample) - ofOther(sample));
    },
    /** The same with whole groups drawn: sessions of one repository are alike. */
    clustered(groups: readonly string[]) {
      const names = [...new Set(groups)];
      const drawnGroups = draws(names.length, "repositories");
      const grouped = (policy: string): readonly number[] =>
        names.map((name) =>
          prices(policy).reduce((sum, price, index) => (groups[index] === name ? sum + price : sum), 0),
        );
      return { cost: (policy: string) => ratioInterval(grouped(policy), grouped(BASELINE), drawnGroups) };
    },
  };
}

function ratioInterval(parts: readonly number[], wholes: readonly number[], drawn: Draws): Interval {
  return intervalOf(parts.length, drawn, (sample) => total(parts, sample) / total(wholes, sample));
}

function total(values: readonly number[], sample: readonly number[]): number {
  let sum = 0;
  for (const index of sample) sum += values[index]!;
  return sum;
}

function byName<Value>(names: readonly string[], of: (name: string) => Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names.map((name) => [figureName(name), of(name)]));
}

function rounded(interval: Interval, places: number): Interval {
  return [digits(interval[0], places), digits(interval[1], places), digits(interval[2], places)];
}

function digits(value: number, places: number): number {
  return Number(value.toFixed(places));
}
