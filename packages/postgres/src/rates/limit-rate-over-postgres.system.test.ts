import Anthropic from "@anthropic-ai/sdk";
import { createRateLimits, limitRate } from "@palimpsest/coordination";
import { answer, createAnthropic, manualClock, rateLimited, serve } from "@palimpsest/provider-simulator";
import { type Clock, type Provider, readStream } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import type { StreamPart } from "palimpsest/provider-parts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { postgresRateSource } from "./postgres-rate-source.ts";

const REQUEST = { model: "claude-opus-5-5", max_tokens: 100, messages: [{ role: "user", content: "Hello." }] };
const PER_SECOND = 10;

let database: StartedDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

/** A clock that stands still while a call is under way, and else goes on to the next wait: a slow machine changes nothing. */
function sharedClock() {
  const clock = manualClock(1_800_000_000_000);
  const startMs = clock.now();
  const waits = new Set<{ readonly endAtMs: number }>();
  let underWay = 0;

  const wait: Required<Clock>["wait"] = async (ms, signal, process) => {
    if (process === "free") return clock.wait(ms, signal, process);
    const one = { endAtMs: clock.now() + ms };
    waits.add(one);
    await clock.wait(ms, signal);
    waits.delete(one);
  };
  async function during<Result>(work: Promise<Result>): Promise<Result> {
    underWay++;
    return work.finally(() => underWay--);
  }
  /** Lets the time pass until the work has ended. */
  async function run<Result>(work: Promise<Result>): Promise<Result> {
    let state: "working" | "ended" = "working";
    const settled = Promise.allSettled([work]).then(() => {
      state = "ended";
    });
    for (let idleTurns = 0; state === "working"; idleTurns++) {
      await new Promise(setImmediate);
      if (underWay > 0 || waits.size === 0) idleTurns = 0;
      // What follows from a call that has ended begins some turns of the event loop later.
      if (idleTurns < 10) continue;
      clock.set(Math.min(...Array.from(waits, ({ endAtMs }) => endAtMs)));
      idleTurns = 0;
    }
    await settled;
    return work;
  }
  return { now: clock.now, wait, during, run, passedMs: () => clock.now() - startMs };
}

/** A worker as on another machine: a pool, limits and a client of its own. */
function startWorker(url: string, key: string, clock: ReturnType<typeof sharedClock>) {
  const pool = database.connect({ user: "service", database: "postgres" });
  const source = postgresRateSource({ pool, clock });
  const limits = createRateLimits({
    source: { ...source, exchange: (...call) => clock.during(source.exchange(...call)) },
    limitOf: () => ({ requestsPerMinute: PER_SECOND * 60, burstMs: 200 }),
    clock,
  });
  onTestFinished(() => limits.close());
  const fetchWhole = async (...call: Parameters<typeof fetch>): Promise<Response> => {
    const response = await fetch(...call);
    return new Response(await response.arrayBuffer(), response);
  };
  const client = new Anthropic({
    apiKey: "none",
    baseURL: url,
    maxRetries: 0,
    fetch: (...call) => clock.during(fetchWhole(...call)),
  });
  return (tenant: string): Provider => limitRate(anthropic(client) as Provider, { limits, key, tenant });
}

const send = (provider: Provider, onPart?: (part: StreamPart) => void) => readStream(provider.send(REQUEST), onPart);

test("workers with one database keep one limit, and a tenant that floods does not starve another", async () => {
  const server = await serve({ faces: [createAnthropic({ script: () => answer("Ok.") })] });
  onTestFinished(() => server.close());
  const clock = sharedClock();
  const [one, two] = [startWorker(server.url, "shared", clock), startWorker(server.url, "shared", clock)];
  const tookMs = { flooding: [] as number[], calm: [] as number[] };
  const keepSending = async (provider: Provider, tenant: keyof typeof tookMs): Promise<void> => {
    while (clock.passedMs() < 4_000) {
      const sentAtMs = clock.now();
      await send(provider);
      tookMs[tenant].push(clock.now() - sentAtMs);
    }
  };
  // Sixteen requests at a time on two workers, against one.
  const flooding = [one, two].flatMap((worker) =>
    Array.from({ length: 8 }, () => keepSending(worker("flooding"), "flooding")),
  );
  await clock.run(Promise.all([...flooding, keepSending(two("calm"), "calm")]));
  const sent = tookMs.flooding.length + tookMs.calm.length;
  expect(sent).toBe(server.recorder.exchanges.length);
  expect(sent).toBeLessThanOrEqual((clock.passedMs() / 1_000) * PER_SECOND + 2);
  // In one line with all others it would wait as long as they do.
  const mean = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0) / all.length;
  expect(mean(tookMs.calm)).toBeLessThan(mean(tookMs.flooding) / 2);
});

test("a 'too many requests' that one worker is told of makes the others wait", async () => {
  let calls = 0;
  const script = () => (++calls === 1 ? { words: [], fault: rateLimited({ retryAfterSeconds: 1 }) } : answer("Ok."));
  const server = await serve({ faces: [createAnthropic({ script })] });
  onTestFinished(() => server.close());
  const clock = sharedClock();
  const [one, two] = [startWorker(server.url, "refused", clock), startWorker(server.url, "refused", clock)];
  await expect(clock.run(send(one("a")))).rejects.toMatchObject({ failure: { kind: "rate-limited" } });
  const waits: number[] = [];
  await clock.run(send(two("b"), (part) => part.kind === "request-waiting" && waits.push(part.waitMs)));
  // The second that the provider has asked for, and then a tenth until there is a request again.
  expect(waits[0]).toBe(1_100);
});
