import type { Clock } from "palimpsest";
import { createPlace, type Place, type PlaceInQueue } from "./place-in-queue.ts";
import {
  ASK_AGAIN_MS,
  NOTHING,
  type RateAmount,
  type RateBucket,
  type RateClaim,
  type RateGrant,
  type RateLimit,
  type RateSource,
  toRates,
} from "./rate-source.ts";

export interface BucketQueueOptions {
  readonly bucket: RateBucket;
  readonly limit: RateLimit;
  readonly source: RateSource;
  readonly portionMs: number;
  readonly clock: Required<Clock>;
}

/** The requests of one process that use one bucket. */
export interface BucketQueue {
  join(tenant: string, tokens: number): PlaceInQueue;
  /** The provider has refused: what was granted before counts no more. */
  dropPortions(): void;
  giveBack(which: "unused" | "all"): Promise<void>;
}

/** What this process has of the bucket for one tenant. */
interface Flow {
  readonly waiting: Place[];
  requests: number;
  /** Negative: its requests used more than they had taken. */
  tokens: number;
  usedAtMs: number;
}

/** Parts of a token are sums of fractions. */
const ROUNDING = 1e-6;
/** However long a turn is away, a fraction of a millisecond is no wait. */
const SHORTEST_WAIT_MS = 2;
const SHORTEST_SWEEP_MS = 100;
/** The portion where there is no limit. */
const MOST_AT_ONCE = 1_000_000;

/** One exchange is under way at a time, for all tenants together: while it is, requests gather for the next. */
export function createBucketQueue({ bucket, limit, source, portionMs, clock }: BucketQueueOptions): BucketQueue {
  const { perMs } = toRates(limit);
  const portion = {
    requests: Math.min(MOST_AT_ONCE, perMs.requests * portionMs),
    tokens: Math.min(MOST_AT_ONCE, perMs.tokens * portionMs),
  };
  const flows = new Map<string, Flow>();
  let state: "idle" | "asking" = "idle";
  let sweeping: "no" | "yes" = "no";
  let sleep = new AbortController();

  function flowOf(tenant: string): Flow {
    const flow = flows.get(tenant) ?? { waiting: [], requests: 0, tokens: 0, usedAtMs: clock.now() };
    flows.set(tenant, flow);
    return flow;
  }

  /** Serves requests, oldest first, as long as there is something left for them. */
  function serve(flow: Flow): void {
    for (let [next] = flow.waiting; next !== undefined; [next] = flow.waiting) {
      const { tokens } = next;
      if (flow.requests < 1 || flow.tokens < tokens - ROUNDING) return;
      flow.requests -= 1;
      flow.tokens -= tokens;
      flow.usedAtMs = clock.now();
      flow.waiting.shift();
      next.end({
        kind: "taken",
        settle(usedTokens) {
          flowOf(next.tenant).tokens += tokens - usedTokens;
          void sweep();
        },
      });
    }
  }

  function claimOf([tenant, flow]: readonly [string, Flow]): RateClaim {
    const [next, ...rest] = flow.waiting;
    if (next === undefined) return { tenant, returned: takeOut(flow), needed: NOTHING, wanted: NOTHING };
    const needed = { requests: Math.max(0, 1 - flow.requests), tokens: Math.max(0, next.tokens - flow.tokens) };
    const later = { requests: rest.length, tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0) };
    const wanted = portionMs === 0 ? NOTHING : most(later, portion);
    return { tenant, returned: NOTHING, needed, wanted };
  }

  async function ask(): Promise<void> {
    if (state === "asking") return;
    state = "asking";
    try {
      for (;;) {
        for (const flow of flows.values()) serve(flow);
        const claims = [...flows].filter(([, { waiting }]) => waiting.length > 0).map(claimOf);
        if (claims.length === 0) break;
        sleep = new AbortController();
        const grants = await source.exchange(bucket, limit, claims);
        const waitMs = Math.min(...grants.map(apply));
        if (waitMs > 0) await clock.wait(Math.min(Math.max(waitMs, SHORTEST_WAIT_MS), ASK_AGAIN_MS), sleep.signal);
      }
    } catch (error) {
      for (const { waiting } of flows.values()) for (const place of waiting.splice(0)) place.fail(error);
    } finally {
      state = "idle";
    }
    void sweep();
  }

  /** Returns how long its tenant waits; 0 if somebody was served. */
  function apply({ tenant, granted, waitMs }: RateGrant): number {
    const flow = flowOf(tenant);
    flow.requests += granted.requests;
    flow.tokens += granted.tokens;
    serve(flow);
    const nowMs = clock.now();
    for (const place of flow.waiting)
      place.tell({ waitMs: Math.max(waitMs, SHORTEST_WAIT_MS), waitedMs: nowMs - place.joinedAtMs, limit });
    return waitMs;
  }

  /** Gives back portions that nobody has used for a while. It does not keep the process alive. */
  async function sweep(): Promise<void> {
    if (sweeping === "yes") return;
    sweeping = "yes";
    try {
      while (flows.size > 0) {
        await clock.wait(Math.max(portionMs, SHORTEST_SWEEP_MS), new AbortController().signal, "free");
        await giveBack("unused");
      }
    } catch {
      // What is not given back is lost for a moment: the bucket fills by itself.
    } finally {
      sweeping = "no";
    }
  }

  async function giveBack(which: "unused" | "all"): Promise<void> {
    const idleSinceMs = clock.now() - portionMs;
    const idle = [...flows].filter(
      ([, { waiting, usedAtMs }]) => waiting.length === 0 && (which === "all" || usedAtMs <= idleSinceMs),
    );
    const claims = idle.map(claimOf).filter(({ returned }) => returned.requests !== 0 || returned.tokens !== 0);
    for (const [tenant] of idle) flows.delete(tenant);
    if (claims.length > 0) await source.exchange(bucket, limit, claims);
  }

  return {
    join(tenant, tokens) {
      const flow = flowOf(tenant);
      const place = createPlace({
        tenant,
        tokens,
        joinedAtMs: clock.now(),
        onLeave: (left) => remove(flow.waiting, left),
      });
      flow.waiting.push(place);
      // The first of a tenant may have its turn before those that wait already.
      if (flow.waiting.length === 1) sleep.abort();
      void ask();
      return place;
    },
    dropPortions() {
      for (const flow of flows.values()) Object.assign(flow, least(flow, NOTHING));
    },
    giveBack,
  };
}

function takeOut(flow: Flow): RateAmount {
  const { requests, tokens } = flow;
  Object.assign(flow, NOTHING);
  return { requests, tokens };
}

function remove<T>(list: T[], one: T): void {
  const at = list.indexOf(one);
  if (at >= 0) list.splice(at, 1);
}

function most(a: RateAmount, b: RateAmount): RateAmount {
  return { requests: Math.max(a.requests, b.requests), tokens: Math.max(a.tokens, b.tokens) };
}

function least(a: RateAmount, b: RateAmount): RateAmount {
  return { requests: Math.min(a.requests, b.requests), tokens: Math.min(a.tokens, b.tokens) };
}
