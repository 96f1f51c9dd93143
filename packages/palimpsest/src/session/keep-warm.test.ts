import Anthropic from "@anthropic-ai/sdk";
import { callTool, callTools, createAnthropic, inOrder, manualClock, serve } from "@palimpsest/provider-simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { anthropic } from "../providers/anthropic.ts";
import type { SessionEvent } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { SessionOptions } from "../state/options.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open.ts";

const MINUTE_MS = 60_000;
const model = "claude-opus-5-5";
const tools = [{ name: "build", inputSchema: { type: "object" } }];
const call = callTools(callTool("build", {}));

type AnthropicProvider = ReturnType<typeof anthropic>;

/** A session with a five-minute cache that has called a tool, with the real client on a virtual clock. */
async function begin(
  values: Partial<Settings> = {},
  more: Partial<SessionOptions<never, never, never>> = {},
  around: (provider: AnthropicProvider) => AnthropicProvider = (provider) => provider,
) {
  const clock = manualClock();
  const server = await serve({ clock, faces: [createAnthropic({ clock, script: inOrder([call, call]) })] });
  onTestFinished(() => server.close());
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const store = memoryStore({ clock, leaseMs: 0 });
  const options = {
    store,
    id: "s",
    provider: around(anthropic(client)),
    model,
    tools,
    clock,
    system: "You are a careful engineer. ".repeat(2_000),
    settings: { "cache.ttl": "5m", "keepWarm.enabled": "on", ...values },
    settingsFrom: { environment: {} },
    ...(more as object),
  } as const;
  const session = await openSession(options);
  const round = async () => session.record(await client.messages.create(await session.prepare()));
  await session.append("Build it.");
  const { calls } = await round();
  return { session, clock, round, callId: calls[0]!.id, reopen: () => openSession(options) };
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** The tool runs, and its prompt is kept warm until it has ended. */
async function runTool({ session, clock, callId }: Begun, minutes: number, activity = "tool-runs" as const) {
  const done = new AbortController();
  const kept = session.provider.keepWarm({ activity, signal: done.signal });
  await clock.pass(minutes * MINUTE_MS, kept);
  done.abort();
  const outcome = await kept;
  await session.append(toolResult(callId, "Built."));
  return outcome;
}

describe("a tool that runs for forty minutes", () => {
  test("with pings, the next request reads its prompt, and nobody takes the cache for cold", async () => {
    const begun = await begin();
    const { session, round } = begun;
    const outcome = await runTool(begun, 40);
    expect(outcome).toMatchObject({ pings: 8, ended: "aborted" });
    const { nextRequest, bySource } = await session.ledger.cost();
    expect(nextRequest.cache).toBe("warm");
    expect(bySource["keep-warm"]).toMatchObject({ responses: 8, outputTokens: 0, cacheWriteTokens: 0 });
    expect(bySource["keep-warm"]?.priceUsd).toBeCloseTo(outcome.priceUsd, 12);
    const { usage } = await round();
    expect(usage.cacheReadTokens).toBeGreaterThan(8_000);
    const { breaks, gapUsd, bySource: after } = await session.ledger.cost();
    expect(breaks).toEqual([]);
    expect(gapUsd).toBeCloseTo(0, 12);
    // Requests of the conversation are counted apart from pings.
    expect(after["main"]?.responses).toBe(2);
  });

  test("without pings it is written again, and the pause is named", async () => {
    const begun = await begin({ "keepWarm.enabled": "off" });
    expect(await runTool(begun, 40)).toEqual({
      pings: 0,
      priceUsd: 0,
      ended: "decided",
      because: "keepWarm.enabled is off",
    });
    expect((await begun.session.ledger.cost()).nextRequest.cache).toBe("cold");
    const { usage } = await begun.round();
    expect(usage).toMatchObject({ cacheReadTokens: 0 });
    const { breaks } = await begun.session.ledger.cost();
    expect(breaks).toMatchObject([{ causes: ["pause"], sort: "alarm" }]);
  });

  test("the log holds all of it: opened again, the cache is as warm as it was", async () => {
    const begun = await begin();
    await runTool(begun, 40);
    const before = await begun.session.ledger.cost();
    await begun.session.close();
    const opened = await begun.reopen();
    expect(await opened.ledger.cost()).toEqual(before);
    // The bytes of the request are not kept: whoever has not made it here cannot repeat it.
    expect(await opened.provider.keepWarm({ activity: "waiting" })).toMatchObject({
      because: "no request was made here yet",
    });
  });
});

describe("keeping warm ends", () => {
  test("after as many pings as are allowed, counted over the whole pause", async () => {
    const begun = await begin({ "keepWarm.whileToolRuns": 3 });
    expect(await runTool(begun, 40)).toMatchObject({
      pings: 3,
      ended: "decided",
      because: "no keep-warm: 3 pings were sent, of at most 3",
    });
    const { session, clock } = await begin();
    const kept = session.provider.keepWarm({ activity: "waiting" });
    await clock.pass(12 * MINUTE_MS, kept);
    expect(await kept).toMatchObject({ pings: 2, because: "no keep-warm: 2 pings were sent, of at most 2" });
    expect(await session.provider.keepWarm({ activity: "waiting" })).toMatchObject({ pings: 2, ended: "decided" });
  });

  test("before it costs more than it may", async () => {
    const begun = await begin({ "keepWarm.capUsd": 0.005 });
    const { priceUsd, because } = await runTool(begun, 20);
    expect(priceUsd).toBeGreaterThan(0);
    expect(priceUsd).toBeLessThanOrEqual(0.005);
    expect(because).toMatch(/one more ping makes \$0\.00\d+, of at most \$0.005/);
  });

  test("with the next request, with another wait, and when the session is closed", async () => {
    const { session, callId, round } = await begin();
    const first = session.provider.keepWarm({ activity: "tool-runs" });
    const second = session.provider.keepWarm({ activity: "tool-runs" });
    expect(await first).toMatchObject({ ended: "superseded", pings: 0 });
    await session.append(toolResult(callId, "Built."));
    await round();
    expect(await second).toMatchObject({ ended: "superseded" });
    const third = session.provider.keepWarm({ activity: "waiting" });
    await session.close();
    expect(await third).toMatchObject({ ended: "superseded" });
  });

  test("where the prompt has changed, the answer is still to come, or the provider takes no ping", async () => {
    const { session, callId } = await begin();
    await session.configure({ system: "Be quick." });
    expect(await session.provider.keepWarm({ activity: "waiting" })).toMatchObject({
      because: "the prompt has changed since",
    });
    await session.append(toolResult(callId, "Built."));
    await session.prepare();
    expect(await session.provider.keepWarm({ activity: "waiting" })).toMatchObject({
      because: "the newest request was not answered yet",
    });
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const strict = await begin({}, { model: "claude-opus-4-5", parameters: { thinking } });
    expect(await strict.session.provider.keepWarm({ activity: "waiting" })).toMatchObject({
      because: "anthropic has no request without an answer for it",
    });
  });
});

test("a ping under way is not cut off by the next request: it is billed, and so it is written down", async () => {
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slowly = (provider: AnthropicProvider): AnthropicProvider => ({
    ...provider,
    async *send(request, options) {
      if (request.max_tokens === 0) {
        begun.resolve();
        await answered.promise;
      }
      return yield* provider.send(request, options);
    },
  });
  const { session, clock, callId } = await begin({}, {}, slowly);
  const kept = session.provider.keepWarm({ activity: "tool-runs" });
  await clock.pass(5 * MINUTE_MS, begun.promise);
  await session.append(toolResult(callId, "Built."));
  await session.prepare();
  answered.resolve();
  expect(await kept).toMatchObject({ pings: 1, ended: "superseded" });
  expect((await session.ledger.cost()).bySource["keep-warm"]).toMatchObject({ responses: 1 });
});

test("each ping is told with its price", async () => {
  const events: SessionEvent[] = [];
  const { session, clock } = await begin({}, { onEvent: (event: SessionEvent) => void events.push(event) });
  const warmed = () => events.filter((event) => event.kind === "cache-warmed");
  const kept = session.provider.keepWarm({ activity: "tool-runs" });
  await clock.pass(12 * MINUTE_MS, kept);
  expect(warmed()).toMatchObject([{ activity: "tool-runs", pings: 1 }, { pings: 2 }]);
  const [first, second] = warmed();
  expect(second!.pausePriceUsd).toBeCloseTo(first!.priceUsd + second!.priceUsd, 12);
  await session.close();
});
