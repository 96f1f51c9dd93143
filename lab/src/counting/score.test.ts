import { expect, test } from "vitest";
import { scoreOf } from "./score.ts";

function prediction(session: string, predictedTokens: number, contextTokens: number, contextTokensBefore: number) {
  return { session, predictedTokens, contextTokens, contextTokensBefore };
}

test("errors are per request, the bias per session", () => {
  const predictions = [
    prediction("a", 1_110, 1_100, 1_000),
    prediction("a", 1_190, 1_200, 1_100),
    prediction("b", 1_150, 1_100, 1_000),
    prediction("b", 1_100, 1_100, 1_000),
  ];
  expect(scoreOf(predictions)).toEqual({
    requests: 4,
    median_abs_tokens: 10,
    p95_abs_tokens: 50,
    p99_abs_pct_of_context: 4.55,
    // 0% of 200 tokens, and 25% of 200.
    session_bias_mean_abs_pct: 12.5,
    covered_pct: 75,
  });
});

test("too much in one session does not make up for too little in another", () => {
  const predictions = [prediction("a", 1_150, 1_100, 1_000), prediction("b", 1_050, 1_100, 1_000)];
  expect(scoreOf(predictions).session_bias_mean_abs_pct).toBe(50);
});
