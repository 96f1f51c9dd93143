/** One request: what was predicted for it and what its response reported. */
export interface Prediction {
  readonly session: string;
  readonly predictedTokens: number;
  readonly contextTokens: number;
  readonly contextTokensBefore: number;
}

export interface CountingScore {
  readonly requests: number;
  readonly median_abs_tokens: number;
  readonly p95_abs_tokens: number;
  readonly p99_abs_pct_of_context: number;
  /** Predicted against reported growth, summed over each session; the mean of the absolute values. */
  readonly session_bias_mean_abs_pct: number;
  /** Requests that were not larger than predicted. */
  readonly covered_pct: number;
}

export function scoreOf(predictions: readonly Prediction[]): CountingScore {
  const wrong = predictions.map((one) => Math.abs(one.predictedTokens - one.contextTokens));
  const sessions = [...Map.groupBy(predictions, ({ session }) => session).values()];
  return {
    requests: predictions.length,
    median_abs_tokens: quantile(wrong, 0.5),
    p95_abs_tokens: quantile(wrong, 0.95),
    p99_abs_pct_of_context: rounded(
      quantile(
        predictions.map(({ contextTokens }, index) => (100 * wrong[index]!) / contextTokens),
        0.99,
      ),
    ),
    session_bias_mean_abs_pct: rounded(mean(sessions.map((session) => Math.abs(biasPercent(session))))),
    covered_pct: rounded(100 * mean(predictions.map((one) => (one.contextTokens <= one.predictedTokens ? 1 : 0)))),
  };
}

function biasPercent(session: readonly Prediction[]): number {
  const predicted = session.reduce((sum, one) => sum + one.predictedTokens - one.contextTokensBefore, 0);
  const reported = session.reduce((sum, one) => sum + one.contextTokens - one.contextTokensBefore, 0);
  return 100 * (predicted / reported - 1);
}

/** The smallest value that this share of all values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}
