/** How many requests may run: a bucket for each key, for this process. */
export interface RequestRate {
  /** Tells whether a request may run now; if not, when. */
  take(key: string, requestsPerMinute: number): RateOutcome;
}

export type RateOutcome = { readonly kind: "taken" } | { readonly kind: "wait"; readonly waitMs: number };

interface Bucket {
  readonly requests: number;
  readonly atMs: number;
  /** When it is full again, if nobody takes from it. */
  readonly fullAtMs: number;
}

/** A burst may take what ten seconds bring, at least this many. */
const LEAST_BURST = 10;
/** Full buckets are forgotten when there are so many. */
const MAX_BUCKETS = 10_000;

const SWEEP_EVERY_MS = 1_000;

/** Creates buckets that fill evenly. */
export function createRequestRate(clock: { now(): number }): RequestRate {
  const buckets = new Map<string, Bucket>();
  let sweepAtMs = 0;
  return {
    take(key, requestsPerMinute) {
      const nowMs = clock.now();
      const everyMs = 60_000 / requestsPerMinute;
      const burst = Math.max(LEAST_BURST, requestsPerMinute / 6);
      const before = buckets.get(key) ?? { requests: burst, atMs: nowMs };
      const there = Math.min(burst, before.requests + Math.max(0, nowMs - before.atMs) / everyMs);
      const left = there >= 1 ? there - 1 : there;
      if (buckets.size >= MAX_BUCKETS && nowMs >= sweepAtMs) {
        sweepAtMs = nowMs + SWEEP_EVERY_MS;
        forgetFull(buckets, nowMs);
      }
      buckets.set(key, { requests: left, atMs: nowMs, fullAtMs: nowMs + (burst - left) * everyMs });
      return there >= 1 ? { kind: "taken" } : { kind: "wait", waitMs: Math.ceil((1 - there) * everyMs) };
    },
  };
}

function forgetFull(buckets: Map<string, Bucket>, nowMs: number): void {
  for (const [key, { fullAtMs }] of buckets) if (fullAtMs <= nowMs) buckets.delete(key);
}
