import { type BucketState, createBucketState, planExchange } from "./plan-exchange.ts";
import { type RateBucket, type RateSource, toRates } from "./rate-source.ts";

/** Limits that the sessions of one process share. */
export function memoryRateSource({
  clock = { now: Date.now },
}: {
  readonly clock?: { now(): number };
} = {}): RateSource {
  const buckets = new Map<string, BucketState>();
  const nameOf = ({ key, model }: RateBucket): string => JSON.stringify([key, model]);
  return {
    async exchange(bucket, limit, claims) {
      const rates = toRates(limit);
      const state = buckets.get(nameOf(bucket)) ?? createBucketState(rates, clock.now());
      buckets.set(nameOf(bucket), state);
      return planExchange(state, rates, claims, clock.now());
    },
    async pause(bucket, forMs) {
      const state = buckets.get(nameOf(bucket));
      if (state === undefined) return;
      // It fills again when the pause is over: whoever waited does not come back all at once.
      state.level = { requests: Math.min(0, state.level.requests), tokens: Math.min(0, state.level.tokens) };
      state.atMs = Math.max(state.atMs, clock.now() + forMs);
    },
  };
}
