import type { Figures } from "../bench.ts";
import type { SessionResult, SessionResults } from "./session-results.ts";

export interface SessionReport {
  readonly name: string;
  /** Whose session it is. */
  readonly repository: string;
  readonly rounds: number;
  readonly results: SessionResults;
}

/** Everything is told relative to this. */
const BASELINE = "append-only";
const LIMIT = "clairvoyant";

/** Sums over all sessions, by condition and policy. */
export function toFigures(reports: readonly SessionReport[]): Figures {
  const conditions = Object.keys(reports[0]?.results ?? {});
  return {
    sessions: reports.length,
    requests: reports.reduce((sum, { rounds }) => sum + rounds, 0),
    by_setting: Object.fromEntries(conditions.map((condition) => [condition, conditionFigures(reports, condition)])),
  };
}

function conditionFigures(reports: readonly SessionReport[], condition: string): Figures {
  const policies = Object.keys(reports[0]!.results[condition]!);
  const sumOf = (policy: string, of: (result: SessionResult) => number): number =>
    reports.reduce((sum, { results }) => sum + of(results[condition]![policy] ?? results[condition]![BASELINE]!), 0);
  const byPolicy = (of: (policy: string) => number, digits: number): Readonly<Record<string, number>> =>
    Object.fromEntries(policies.map((policy) => [policy, Number(of(policy).toFixed(digits))]));
  const price = (policy: string): number => sumOf(policy, (result) => result.price);
  const share = (policy: string, part: keyof SessionResult, whole: keyof SessionResult): number =>
    sumOf(policy, (result) => result[part]) /
    Math.max(
      1,
      sumOf(policy, (result) => result[whole]),
    );
  return {
    cost_ratio: byPolicy((policy) => price(policy) / price(BASELINE), 3),
    needs_met_pct: byPolicy((policy) => 100 * share(policy, "met", "needs"), 2),
    refetches: byPolicy((policy) => sumOf(policy, ({ refetches }) => refetches), 0),
    ...(policies.includes(LIMIT) ? { clairvoyant_ratio: byPolicy((policy) => price(policy) / price(LIMIT), 3) } : {}),
    compactions: byPolicy((policy) => sumOf(policy, ({ compactions }) => compactions), 0),
    cache_hit_pct: byPolicy((policy) => 100 * share(policy, "readTokens", "inputTokens"), 1),
    mean_context_tokens: byPolicy((policy) => share(policy, "conversationTokens", "requests"), 0),
  };
}
