import type { Score } from "../score-session.ts";

/** A session of ten requests that costs 10, with 95 of 100 needs met. */
export function sampleScore(more: Partial<Score> = {}): Score {
  return {
    price: 10,
    barePrice: 10,
    summaryPrice: 1,
    secondSummaryPrice: 0.2,
    coldSummaryExtra: 0.1,
    needs: 100,
    met: 95,
    strict: 95,
    lines: 20,
    linesMet: 20,
    refetches: 0,
    compactions: 0,
    waitedSeconds: 0,
    readTokens: 90,
    inputTokens: 100,
    conversationTokens: 100,
    requests: 10,
    dearStops: 0,
    earlyStops: 0,
    dearEarlyStops: 0,
    worstStop: 1,
    ...more,
  };
}
