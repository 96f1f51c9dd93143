import { type Clock, withTimers } from "palimpsest";
import { type BucketQueue, createBucketQueue } from "./bucket-queue.ts";
import { memoryRateSource } from "./memory-rate-source.ts";
import type { RateBucket, RateLimit, RateSource } from "./rate-source.ts";
import type { RateTurn, RateWait } from "./rate-turn.ts";

/** The limit of each bucket, and where processes share it. */
export interface RateLimitsOptions {
  /** What the provider allows for a key and a model. */
  readonly limitOf: (bucket: RateBucket) => RateLimit;
  /** Where the limits are shared. @default `memoryRateSource()`: among the sessions of this process */
  readonly source?: RateSource;
  /**
   * How much of a limit a process takes at once for one tenant, as time of the limit: that many requests need no exchange. What is
   * unused for as long is given back. 0: one exchange for every request. @default 1,000
   */
  readonly portionMs?: number;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** A request to a provider that wants its share of a limit. */
export interface RateRequest {
  readonly bucket: RateBucket;
  readonly tenant: string;
  /** An estimate; `settle` corrects it. */
  readonly tokens: number;
  readonly signal?: AbortSignal | undefined;
}

/** The limits of a provider, as one process uses them. */
export interface RateLimits {
  /** Yields while the request waits, at least once a second, and returns when it may be sent. */
  take(request: RateRequest): AsyncGenerator<RateWait, RateTurn>;
  /** The provider said that nobody may send for this long. */
  pause(bucket: RateBucket, forMs: number): Promise<void>;
  /** Gives back what is unused. */
  close(): Promise<void>;
}

/** Creates the rate limits of a process. Tenants have their turns in a fair order: see `planExchange`. */
export function createRateLimits(options: RateLimitsOptions): RateLimits {
  const { limitOf, portionMs = 1_000 } = options;
  const clock = withTimers(options.clock);
  const source = options.source ?? memoryRateSource({ clock });
  const queues = new Map<string, BucketQueue>();

  function queueOf(bucket: RateBucket): BucketQueue {
    const name = JSON.stringify([bucket.key, bucket.model]);
    const queue = queues.get(name) ?? createBucketQueue({ bucket, limit: limitOf(bucket), source, portionMs, clock });
    queues.set(name, queue);
    return queue;
  }

  return {
    async *take({ bucket, tenant, tokens, signal }) {
      if (signal?.aborted) return { kind: "aborted" };
      const place = queueOf(bucket).join(tenant, tokens);
      signal?.addEventListener("abort", place.leave);
      try {
        for (;;) {
          const step = await place.next();
          if ("kind" in step) return step;
          yield step;
        }
      } finally {
        signal?.removeEventListener("abort", place.leave);
        place.leave();
      }
    },
    async pause(bucket, forMs) {
      queueOf(bucket).dropPortions();
      await source.pause(bucket, forMs);
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.giveBack("all")));
    },
  };
}
