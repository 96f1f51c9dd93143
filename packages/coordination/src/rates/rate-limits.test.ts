import { expect, test } from "vitest";
import { memoryRateSource } from "./memory-rate-source.ts";
import { createRateLimits, type RateLimits, type RateLimitsOptions } from "./rate-limits.ts";
import type { RateSource } from "./rate-source.ts";
import type { RateTurn, RateWait } from "./rate-turn.ts";

const bucket = { key: "key", model: "model" };

/** A clock whose waits end when it is moved. */
function createClock() {
  let nowMs = 0;
  const waits = new Set<{ readonly dueAtMs: number; end(): void }>();
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 50; turns++) await Promise.resolve();
  };
  return {
    now: () => nowMs,
    wait: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const one = { dueAtMs: nowMs + ms, end };
        function end(): void {
          waits.delete(one);
          resolve();
        }
        if (signal.aborted) return resolve();
        waits.add(one);
        signal.addEventListener("abort", end, { once: true });
      }),
    settle,
    async advance(byMs: number) {
      const endMs = nowMs + byMs;
      await settle();
      for (;;) {
        const [next] = [...waits].filter(({ dueAtMs }) => dueAtMs <= endMs).sort((a, b) => a.dueAtMs - b.dueAtMs);
        if (next === undefined) break;
        nowMs = next.dueAtMs;
        next.end();
        await settle();
      }
      nowMs = endMs;
    },
  };
}

function countExchanges(source: RateSource) {
  const counted = { exchanges: 0 };
  const exchange: RateSource["exchange"] = (...call) => {
    counted.exchanges++;
    return source.exchange(...call);
  };
  return { counted, source: { ...source, exchange } };
}

function open(options: Partial<RateLimitsOptions> & Pick<RateLimitsOptions, "limitOf">) {
  const clock = createClock();
  const { counted, source } = countExchanges(memoryRateSource({ clock }));
  const limits = createRateLimits({ clock, source, ...options });
  return { clock, counted, source, limits };
}

async function takeWhole(limits: RateLimits, tenant: string, tokens = 1, signal?: AbortSignal) {
  const waits: RateWait[] = [];
  const turns = limits.take({ bucket, tenant, tokens, signal });
  for (;;) {
    const { done, value } = await turns.next();
    if (done === true) return { turn: value as RateTurn, waits };
    waits.push(value);
  }
}

test("a portion serves many requests with one exchange, and what is unused comes back", async () => {
  const { clock, counted, limits, source } = open({ limitOf: () => ({ requestsPerMinute: 6_000 }) });
  for (let sent = 0; sent < 50; sent++) expect((await takeWhole(limits, "a")).turn.kind).toBe("taken");
  expect(counted.exchanges).toBe(1);
  // 1,000 were there, and half of the rest of a second's worth of 100 is still here.
  await clock.advance(2_500);
  expect(counted.exchanges).toBe(2);
  const needed = { requests: 1_000, tokens: 0 };
  const none = { requests: 0, tokens: 0 };
  const [all] = await source.exchange(bucket, { requestsPerMinute: 6_000 }, [
    { tenant: "b", returned: none, needed, wanted: none },
  ]);
  expect(all?.waitMs).toBe(0);
});

test("without portions every request is an exchange", async () => {
  const { counted, limits } = open({ limitOf: () => ({ requestsPerMinute: 6_000 }), portionMs: 0 });
  for (let sent = 0; sent < 20; sent++) await takeWhole(limits, "a");
  expect(counted.exchanges).toBe(20);
});

test("requests that gather while an exchange is under way go with the next, and each tells how long it waits", async () => {
  const { clock, limits } = open({ limitOf: () => ({ requestsPerMinute: 60, burstMs: 1_000 }) });
  const order: string[] = [];
  const all = ["a", "a", "a", "b"].map(async (tenant) => {
    const taken = await takeWhole(limits, tenant);
    order.push(tenant);
    return taken;
  });
  for (let second = 0; second < 5; second++) await clock.advance(1_000);
  const taken = await Promise.all(all);
  // The flood of one tenant does not hold up the other.
  expect(order).toEqual(["a", "b", "a", "a"]);
  expect(taken[0]?.waits).toEqual([]);
  expect(taken[2]?.waits[0]).toMatchObject({ waitMs: expect.any(Number), limit: { requestsPerMinute: 60 } });
  expect(taken[2]?.waits.at(-1)?.waitedMs).toBeGreaterThan(1_000);
});

test("tokens that a request did not use serve the next one, and a debt makes it wait", async () => {
  const { clock, limits, counted } = open({
    limitOf: () => ({ tokensPerMinute: 60_000, burstMs: 10_000 }),
    portionMs: 0,
  });
  const first = await takeWhole(limits, "a", 9_000);
  if (first.turn.kind === "taken") first.turn.settle(1_000);
  expect((await takeWhole(limits, "a", 8_000)).turn).toMatchObject({ kind: "taken" });
  expect(counted.exchanges).toBe(2);
  const last = await takeWhole(limits, "a", 1_000);
  if (last.turn.kind === "taken") last.turn.settle(4_000);
  const waiting = takeWhole(limits, "a", 1_000);
  await clock.advance(10_000);
  expect((await waiting).waits[0]?.waitMs).toBeGreaterThan(2_000);
});

test("a pause takes away what was granted before", async () => {
  const { clock, limits } = open({ limitOf: () => ({ requestsPerMinute: 6_000 }) });
  await takeWhole(limits, "a");
  await limits.pause(bucket, 5_000);
  const waiting = takeWhole(limits, "a");
  await clock.advance(4_000);
  expect(await Promise.race([waiting, Promise.resolve("waits")])).toBe("waits");
  await clock.advance(2_000);
  expect((await waiting).waits[0]?.waitMs).toBeGreaterThan(4_000);
});

test("a request that is aborted leaves its place; one that was never sent is not counted", async () => {
  const { clock, limits } = open({ limitOf: () => ({ requestsPerMinute: 60, burstMs: 1_000 }) });
  await takeWhole(limits, "a");
  const aborted = new AbortController();
  const [left, next] = [takeWhole(limits, "a", 1, aborted.signal), takeWhole(limits, "a")];
  await clock.advance(100);
  aborted.abort();
  expect((await left).turn).toEqual({ kind: "aborted" });
  expect((await takeWhole(limits, "a", 1, aborted.signal)).turn).toEqual({ kind: "aborted" });
  await clock.advance(1_500);
  expect((await next).turn.kind).toBe("taken");
});

test("a limit of nothing is no limit to work with", async () => {
  const { limits } = open({ limitOf: () => ({ tokensPerMinute: 0 }) });
  await expect(takeWhole(limits, "a")).rejects.toThrow(/tokensPerMinute/);
});

test("limits that cannot be asked fail the requests that wait", async () => {
  const source: RateSource = { exchange: () => Promise.reject(new Error("no database")), pause: async () => {} };
  const limits = createRateLimits({ source, limitOf: () => ({}) });
  await expect(takeWhole(limits, "a")).rejects.toThrow("no database");
});
