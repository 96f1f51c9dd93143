// The figures of policies over all sessions.

import { draws, intervalOf } from "./bootstrap.ts";
import type { Score } from "./score-session.ts";

/** One policy over a list of sessions. Costs are relative to the baseline on the same sessions. */
export interface PolicyFigures {
  readonly cost_ratio: number;
  /** 95%, by session. */
  readonly cost_ratio_interval: readonly [low: number, high: number];
  readonly strict_needs_pct: number;
  readonly needs_lost: number;
  readonly needs_lost_per_compaction: number;
  readonly compactions: number;
  readonly dear_stops_pct: number;
  readonly edit_lines_unmet_pct: number;
  readonly waiting_s_per_message: number;
  /** With content that is fetched again and files that are read again. */
  readonly waiting_in_all_s_per_message: number;
}

export function policyFigures(scores: readonly Score[], userMessages: number): PolicyFigures {
  const sum = (field: keyof Score): number => scores.reduce((total, score) => total + score[field], 0);
  const [cost, low, high] = intervalOf(scores.length, draws(scores.length, "sessions"), (sample) => {
    let [price, baseline] = [0, 0];
    for (const index of sample) {
      price += scores[index]!.price;
      baseline += scores[index]!.baselinePrice;
    }
    return price / baseline;
  });
  const lost = sum("needs") - sum("strict");
  return {
    cost_ratio: digits(cost, 3),
    cost_ratio_interval: [digits(low, 3), digits(high, 3)],
    strict_needs_pct: percent(sum("strict"), sum("needs")),
    needs_lost: lost,
    needs_lost_per_compaction: digits(lost / Math.max(1, sum("compactions")), 1),
    compactions: sum("compactions"),
    dear_stops_pct: percent(sum("dearStops"), sum("requests")),
    edit_lines_unmet_pct: percent(sum("lines") - sum("linesMet"), sum("lines")),
    waiting_s_per_message: digits(sum("waitedSeconds") / Math.max(1, userMessages), 2),
    waiting_in_all_s_per_message: digits(sum("waitedInAllSeconds") / Math.max(1, userMessages), 2),
  };
}

/** A profile as shipped; its cost also without preparing. */
export interface ProfileFigures extends PolicyFigures {
  /** Without prepared summaries. */
  readonly cost_ratio: number;
  readonly cost_ratio_prepared: number;
  /** What prepared summaries add to the bill. */
  readonly prepared_extra_cost_pct: number;
  /** Prepared summaries that no compaction used. */
  readonly prepared_unused_pct: number;
  readonly without_preparation: PolicyFigures;
  /** Nobody waits for a compaction that only saves money. */
  readonly when_required: PolicyFigures;
}

export function profileFigures(
  scores: {
    readonly shipped: readonly Score[];
    readonly unprepared: readonly Score[];
    readonly whenRequired: readonly Score[];
  },
  userMessages: number,
): ProfileFigures {
  const sum = (of: readonly Score[], field: keyof Score): number =>
    of.reduce((total, score) => total + score[field], 0);
  const shipped = policyFigures(scores.shipped, userMessages);
  const unprepared = policyFigures(scores.unprepared, userMessages);
  const written = sum(scores.shipped, "preparedWritten");
  return {
    ...shipped,
    cost_ratio: unprepared.cost_ratio,
    cost_ratio_interval: unprepared.cost_ratio_interval,
    cost_ratio_prepared: shipped.cost_ratio,
    prepared_extra_cost_pct: digits(100 * (sum(scores.shipped, "price") / sum(scores.unprepared, "price") - 1), 2),
    prepared_unused_pct: percent(written - sum(scores.shipped, "preparedInstalled"), written),
    without_preparation: unprepared,
    when_required: policyFigures(scores.whenRequired, userMessages),
  };
}

export interface DifferenceFigures {
  /** What the policy costs less without the mechanism, in percent of the baseline, with its 95% interval by session. */
  readonly cost_points: number;
  readonly cost_points_interval: readonly [low: number, high: number];
  readonly needs_lost: number;
  readonly edit_lines_unmet_points: number;
  readonly compactions: number;
}

/** The first policy less the second, on the same sessions. */
export function difference(one: readonly Score[], other: readonly Score[]): DifferenceFigures {
  const sum = (scores: readonly Score[], field: keyof Score): number =>
    scores.reduce((total, score) => total + score[field], 0);
  const change = (field: keyof Score): number => sum(one, field) - sum(other, field);
  const [cost, low, high] = intervalOf(one.length, draws(one.length, "sessions"), (sample) => {
    let [price, baseline] = [0, 0];
    for (const index of sample) {
      price += one[index]!.price - other[index]!.price;
      baseline += one[index]!.baselinePrice;
    }
    return (100 * price) / baseline;
  });
  return {
    cost_points: digits(cost, 2),
    cost_points_interval: [digits(low, 2), digits(high, 2)],
    needs_lost: change("needs") - change("strict"),
    edit_lines_unmet_points: digits((-100 * change("linesMet")) / Math.max(1, sum(one, "lines")), 2),
    compactions: change("compactions"),
  };
}

/** Of the sessions that went on for so many requests, the share that ended within the next twelve. */
export function sessionEnds(rounds: readonly number[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [10, 20, 40, 80, 160].map((reached) => {
      const longer = rounds.filter((count) => count > reached);
      const ended = longer.filter((count) => count <= reached + NEXT_REQUESTS);
      return [`after_${reached}`, percent(ended.length, longer.length)];
    }),
  );
}

const NEXT_REQUESTS = 12;

function percent(part: number, whole: number): number {
  return digits((100 * part) / Math.max(1, whole), 2);
}

function digits(value: number, places: number): number {
  return Number(value.toFixed(places));
}
