import { expect, test } from "vitest";
import { difference, policyFigures, sessionEnds } from "./figures.ts";
import type { Score } from "./score-session.ts";

/** A session of ten requests that costs as much as the baseline, with 95 of 100 needs in view. */
const score = (more: Partial<Score> = {}): Score => ({
  ...{ price: 10, baselinePrice: 10, needs: 100, strict: 95, lines: 20, linesMet: 20, refetches: 0, compactions: 1 },
  ...{
    waitedSeconds: 0,
    waitedInAllSeconds: 0,
    requests: 10,
    dearStops: 0,
    thinkingSent: 0,
    preparedWritten: 0,
    preparedInstalled: 0,
    ...more,
  },
});

test("policyFigures adds sessions up, with costs relative to the baseline", () => {
  const scores = [
    score({ price: 8, compactions: 2, waitedSeconds: 60 }),
    score({ price: 10, strict: 91, linesMet: 15, dearStops: 1 }),
  ];
  expect(policyFigures(scores, 4)).toEqual({
    cost_ratio: 0.9,
    cost_ratio_interval: [0.8, 1],
    strict_needs_pct: 93,
    needs_lost: 14,
    needs_lost_per_compaction: 4.7,
    compactions: 3,
    dear_stops_pct: 5,
    edit_lines_unmet_pct: 12.5,
    waiting_s_per_message: 15,
    waiting_in_all_s_per_message: 0,
  });
});

test("difference compares two policies on the same sessions", () => {
  expect(difference([score({ price: 9 })], [score({ strict: 99, linesMet: 19 })])).toEqual({
    cost_points: -10,
    cost_points_interval: [-10, -10],
    needs_lost: 4,
    edit_lines_unmet_points: -5,
    compactions: 0,
  });
});

test("sessionEnds counts sessions that end soon after a number of requests", () => {
  expect(sessionEnds([5, 15, 22, 100, 100])).toMatchObject({
    after_10: 50,
    after_20: 33.33,
    after_40: 0,
    after_160: 0,
  });
});
