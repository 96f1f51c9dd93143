import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  createAnthropic,
  fetchInProcess,
  type ManualClock,
  manualClock,
  rateLimited,
  type Script,
} from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type Provider, type QueryEvent, query, readStream } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import type { StreamPart } from "palimpsest/provider-parts";
import { expect, test } from "vitest";
import { type LimitRateOptions, limitRate } from "./limit-rate.ts";
import { createRateLimits } from "./rate-limits.ts";
import type { RateLimit } from "./rate-source.ts";

const MODEL = "claude-opus-5-5";
const REQUEST = { model: MODEL, max_tokens: 100, messages: [{ role: "user", content: "Hello." }] };

/** Providers of several tenants that share a limit, before the simulator. The clock of the limit stands still until it is moved. */
function connect(limit: RateLimit, script: Script = () => answer("Ok.")) {
  const clock = manualClock();
  const limits = createRateLimits({ limitOf: () => limit, clock });
  let sent = 0;
  const inProcess = fetchInProcess({ face: createAnthropic({ script }) });
  const client = new Anthropic({
    apiKey: "none",
    baseURL: "http://simulator.local",
    maxRetries: 0,
    fetch: (url, init) => {
      sent++;
      return inProcess(url, init);
    },
  });
  const providerOf = (tenant: string, options: Partial<LimitRateOptions> = {}): Provider =>
    limitRate(anthropic(client) as Provider, { limits, key: "main", tenant, ...options });
  /** Sends a request; what it has to wait passes at once. */
  async function send(provider: Provider): Promise<readonly StreamPart[]> {
    const parts: StreamPart[] = [];
    await readStream(provider.send(REQUEST), (part) => {
      parts.push(part);
      passWait(part, clock);
    });
    return parts;
  }
  return { providerOf, send, clock, sent: () => sent };
}

function passWait(part: StreamPart | QueryEvent, clock: ManualClock): void {
  if (part.kind === "request-waiting") setImmediate(() => clock.advance(part.waitMs));
}

const waitsOf = (parts: readonly (StreamPart | QueryEvent)[]) => parts.filter(({ kind }) => kind === "request-waiting");

test("a turn waits for its turn before each request, and shows the wait", async () => {
  const { providerOf, clock } = connect({ requestsPerMinute: 120, burstMs: 500 });
  const provider = providerOf("customer");
  const session = await openSession({ store: memoryStore(), id: "s", provider, model: MODEL, settings: {} });
  const events: QueryEvent[] = [];
  for (const prompt of ["One.", "Two."]) {
    const turn = query(session, { prompt });
    for (;;) {
      const { done, value } = await turn.next();
      if (done === true) {
        expect(value).toMatchObject({ kind: "done", text: "Ok." });
        break;
      }
      events.push(value);
      passWait(value, clock);
    }
  }
  expect(waitsOf(events)[0]).toMatchObject({
    waitMs: 500,
    message: `${MODEL} with the key main: the limit of 120 requests a minute is used up`,
  });
});

test("the provider's 'too many requests' makes all sessions of the key and model wait, for as long as it says", async () => {
  let calls = 0;
  const { providerOf, send, clock, sent } = connect({}, () =>
    ++calls === 1 ? { words: [], fault: rateLimited({ retryAfterSeconds: 1 }) } : answer("Ok."),
  );
  await expect(send(providerOf("one"))).rejects.toMatchObject({
    failure: { kind: "rate-limited", retryAfterMs: 1_000 },
  });
  const parts: StreamPart[] = [];
  const sending = readStream(providerOf("two").send(REQUEST), (part) => parts.push(part));
  await clock.pass(999, sending);
  const message = expect.stringContaining("the provider's limit is used up");
  await expect.poll(() => waitsOf(parts)).toMatchObject([{ waitMs: 1_000, message }]);
  expect(sent()).toBe(1);
  await clock.pass(1, sending);
  await sending;
  expect(sent()).toBe(2);
});

test("a wait that is too long is an error with its numbers, at once", async () => {
  const { providerOf, send, sent } = connect({ requestsPerMinute: 1, burstMs: 0 });
  await send(providerOf("one"));
  const failing = send(providerOf("one", { maxWaitMs: 10_000 }));
  await expect(failing).rejects.toMatchObject({ failure: { kind: "rate-limited", retryAfterMs: expect.any(Number) } });
  await expect(failing).rejects.toThrow(
    /the limit of 1 request a minute is used up.*has waited \d s, its turn comes in \d+ s, and 10 s/,
  );
  expect(sent()).toBe(1);
});

test("tokens count as the provider has counted them, and estimates learn from that", async () => {
  // The first request is estimated from its characters; the answer has far more tokens.
  const { providerOf, send } = connect({ tokensPerMinute: 6_000, burstMs: 1_000 }, () => answer("word ".repeat(200)));
  const provider = providerOf("one");
  expect(waitsOf(await send(provider))).toEqual([]);
  expect(waitsOf(await send(provider)).length).toBeGreaterThan(0);
});

test("a daily budget that is used up refuses before anything is sent", async () => {
  const { providerOf, send, sent } = connect({});
  let left = 5;
  const daily = {
    leftTokens: async () => left,
    spend: async (tokens: number) => {
      left -= tokens;
    },
  };
  await send(providerOf("one", { daily }));
  expect(left).toBeLessThan(0);
  await expect(send(providerOf("one", { daily }))).rejects.toThrow(
    /daily budget of one is used up \(-\d+ tokens left\)/,
  );
  expect(sent()).toBe(1);
});

test("limits that cannot be asked are tried again, as a provider that is away, and nothing is sent", async () => {
  const source = { exchange: () => Promise.reject(new Error("no database")), pause: async () => {} };
  const limits = createRateLimits({ source, limitOf: () => ({}) });
  const { providerOf, send, sent } = connect({});
  await expect(send(providerOf("one", { limits }))).rejects.toMatchObject({
    failure: { kind: "unreachable" },
    message: expect.stringContaining("the rate limits cannot be asked, so nothing was sent: no database"),
  });
  expect(sent()).toBe(0);
});

test("an aborted wait sends nothing", async () => {
  const { providerOf, send, sent } = connect({ requestsPerMinute: 1, burstMs: 0 });
  const provider = providerOf("one");
  await send(provider);
  const aborted = new AbortController();
  const sending = readStream(provider.send(REQUEST, { signal: aborted.signal }), () => aborted.abort());
  await expect(sending).rejects.toMatchObject({ failure: { kind: "aborted" } });
  expect(sent()).toBe(1);
});
