import Anthropic from "@anthropic-ai/sdk";
import { createRateLimits, limitRate } from "@palimpsest/coordination";
import { answer, createAnthropic, rateLimited, serve } from "@palimpsest/provider-simulator";
import { type Provider, readStream } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import type { StreamPart } from "palimpsest/core";
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

/** A worker as on another machine: a pool, limits and a client of its own. */
function startWorker(url: string, key: string) {
  const pool = database.connect({ user: "service", database: "postgres" });
  const limits = createRateLimits({
    source: postgresRateSource({ pool }),
    limitOf: () => ({ requestsPerMinute: PER_SECOND * 60, burstMs: 200 }),
  });
  onTestFinished(() => limits.close());
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  return (tenant: string): Provider => limitRate(anthropic(client) as Provider, { limits, key, tenant });
}

const send = (provider: Provider, onPart?: (part: StreamPart) => void) => readStream(provider.send(REQUEST), onPart);

test("workers with one database keep one limit, and a tenant that floods does not starve another", async () => {
  const server = await serve({ faces: [createAnthropic({ script: () => answer("Ok.") })] });
  onTestFinished(() => server.close());
  const [one, two] = [startWorker(server.url, "shared"), startWorker(server.url, "shared")];
  const tookMs = { flooding: [] as number[], calm: [] as number[] };
  const startMs = performance.now();
  const keepSending = async (provider: Provider, tenant: keyof typeof tookMs): Promise<void> => {
    while (performance.now() < startMs + 4_000) {
      const sentAtMs = performance.now();
      await send(provider);
      tookMs[tenant].push(performance.now() - sentAtMs);
    }
  };
  // Sixteen requests at a time on two workers, against one.
  const flooding = [one, two].flatMap((worker) =>
    Array.from({ length: 8 }, () => keepSending(worker("flooding"), "flooding")),
  );
  await Promise.all([...flooding, keepSending(two("calm"), "calm")]);
  const seconds = (performance.now() - startMs) / 1_000;
  const sent = tookMs.flooding.length + tookMs.calm.length;
  expect(sent).toBe(server.recorder.exchanges.length);
  expect(sent).toBeLessThanOrEqual(seconds * PER_SECOND + 2);
  // In one line with all others it would wait as long as they do.
  const mean = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0) / all.length;
  expect(mean(tookMs.calm)).toBeLessThan(mean(tookMs.flooding) / 2);
});

test("a 'too many requests' that one worker is told of makes the others wait", async () => {
  let calls = 0;
  const script = () => (++calls === 1 ? { words: [], fault: rateLimited({ retryAfterSeconds: 1 }) } : answer("Ok."));
  const server = await serve({ faces: [createAnthropic({ script })] });
  onTestFinished(() => server.close());
  const [one, two] = [startWorker(server.url, "refused"), startWorker(server.url, "refused")];
  await expect(send(one("a"))).rejects.toMatchObject({ failure: { kind: "rate-limited" } });
  const waits: number[] = [];
  await send(two("b"), (part) => part.kind === "request-waiting" && waits.push(part.waitMs));
  expect(waits[0]).toBeGreaterThan(300);
});
