import Anthropic from "@anthropic-ai/sdk";
import { callTool, callTools, createAnthropic, inOrder, manualClock, serve } from "@palimpsest/provider-simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { type KeepWarmNumbers, keepWarm, USUAL_PINGS } from "../policy/rules/keep-warm.ts";
import { coding } from "../presets/coding.ts";
import { anthropic } from "../providers/anthropic.ts";
import { ProviderError } from "../providers/provider.ts";
import type { SessionEvent } from "../session-event.ts";
import type { SessionOptions } from "../state/options.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open.ts";

const MINUTE_MS = 60_000;
const model = "claude-opus-5-5";
const tools = [{ name: "build", inputSchema: { type: "object" } }];
const call = callTools(callTool("build", {}));

type AnthropicProvider = ReturnType<typeof anthropic>;

/** A session with a five-minute cache whose model has called a tool, with the real client on a virtual clock. */
async function begin(
  pings: KeepWarmNumbers | "off" = USUAL_PINGS,
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
    policy: coding("balanced", { keepWarm: pings === "off" ? undefined : keepWarm(pings) }),
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

/** Runs the tool, and keeps the prompt warm until the tool has ended. */
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
  test("leaves the cache warm with pings, and reports no cache miss", async () => {
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
    // The ledger counts requests of the conversation separately from pings.
    expect(after["main"]?.responses).toBe(2);
  });

  test("lets the cache expire without pings, and names the pause as the cause", async () => {
    const begun = await begin("off");
    expect(await runTool(begun, 40)).toEqual({
      pings: 0,
      priceUsd: 0,
      ended: "decided",
      because: "the policy has no pings",
    });
    expect((await begun.session.ledger.cost()).nextRequest.cache).toBe("cold");
    const { usage } = await begun.round();
    expect(usage).toMatchObject({ cacheReadTokens: 0 });
    const { breaks } = await begun.session.ledger.cost();
    expect(breaks).toMatchObject([{ causes: ["pause"], sort: "alarm" }]);
  });

  test("records the pings in the log, so that a reopened session knows that the cache is warm", async () => {
    const begun = await begin();
    await runTool(begun, 40);
    const before = await begun.session.ledger.cost();
    await begun.session.close();
    const opened = await begun.reopen();
    expect(await opened.ledger.cost()).toEqual(before);
    // The log does not contain the bytes of the request, so another process cannot repeat it.
    expect(await opened.provider.keepWarm({ activity: "waiting" })).toMatchObject({
      because: "this process has not sent a request yet",
    });
  });
});

describe("keepWarm", () => {
  test("ends after the maximum number of pings in the whole pause", async () => {
    const begun = await begin({ ...USUAL_PINGS, whileToolRuns: 3 });
    expect(await runTool(begun, 40)).toMatchObject({
      pings: 3,
      ended: "decided",
      because: "3 of at most 3 pings were sent",
    });
    const { session, clock } = await begin();
    const kept = session.provider.keepWarm({ activity: "waiting" });
    await clock.pass(12 * MINUTE_MS, kept);
    expect(await kept).toMatchObject({ pings: 2, because: "2 of at most 2 pings were sent" });
    expect(await session.provider.keepWarm({ activity: "waiting" })).toMatchObject({ pings: 2, ended: "decided" });
  });

  test("ends before the cost exceeds its limit", async () => {
    const begun = await begin({ ...USUAL_PINGS, capUsd: 0.005 });
    const { priceUsd, because } = await runTool(begun, 20);
    expect(priceUsd).toBeGreaterThan(0);
    expect(priceUsd).toBeLessThanOrEqual(0.005);
    expect(because).toMatch(/another ping would raise the cost to \$0\.00\d+, above the limit of \$0.005/);
  });

  test("ends with the next request, with another call, and when the session is closed", async () => {
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

  test("ends if the prompt has changed, the answer is missing, or the provider has no pings", async () => {
    const { session, callId } = await begin();
    await session.configure({ system: "Be quick." });
    expect(await session.provider.keepWarm({ activity: "waiting" })).toMatchObject({
      because: "the prompt has changed since",
    });
    await session.append(toolResult(callId, "Built."));
    await session.prepare();
    expect(await session.provider.keepWarm({ activity: "waiting" })).toMatchObject({
      because: "the newest request has no answer yet",
    });
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const strict = await begin(USUAL_PINGS, { model: "claude-opus-4-5", parameters: { thinking } });
    expect(await strict.session.provider.keepWarm({ activity: "waiting" })).toMatchObject({
      because: "anthropic cannot render a ping",
    });
  });
});

test("records a running ping although the next request has started", async () => {
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
  const { session, clock, callId } = await begin(USUAL_PINGS, {}, slowly);
  const kept = session.provider.keepWarm({ activity: "tool-runs" });
  await clock.pass(5 * MINUTE_MS, begun.promise);
  await session.append(toolResult(callId, "Built."));
  await session.prepare();
  answered.resolve();
  expect(await kept).toMatchObject({ pings: 1, ended: "superseded" });
  expect((await session.ledger.cost()).bySource["keep-warm"]).toMatchObject({ responses: 1 });
});

test("emits an event with the price for each ping", async () => {
  const events: SessionEvent[] = [];
  const { session, clock } = await begin(USUAL_PINGS, { onEvent: (event: SessionEvent) => void events.push(event) });
  const warmed = () => events.filter((event) => event.kind === "cache-warmed");
  const kept = session.provider.keepWarm({ activity: "tool-runs" });
  await clock.pass(12 * MINUTE_MS, kept);
  expect(warmed()).toMatchObject([
    { activity: "tool-runs", pings: 1 },
    { pings: 2, allPings: 2 },
  ]);
  const [first, second] = warmed();
  // A write costs at least 12.5 times as much as a read.
  expect(first!.avoidsUsd).toBeGreaterThan(first!.priceUsd * 11.4);
  expect(second!.pausePriceUsd).toBeCloseTo(first!.priceUsd + second!.priceUsd, 12);
  await session.close();
});

describe("the size at which the session compacts", () => {
  const sizesOf = ({ session }: Pick<Begun, "session">) => {
    const { compaction } = session.view.size();
    return compaction.kind === "economic" ? [compaction.atTokens, compaction.withinTurnAtTokens] : compaction.kind;
  };

  test("is larger where pings keep the prompt warm", async () => {
    expect(sizesOf(await begin())).toEqual([130_000, 167_000]);
    expect(sizesOf(await begin("off"))).toEqual([100_000, 150_000]);
  });

  test("is the smaller one if pings run only while a tool runs, would exceed their limit, or nobody attends the session", async () => {
    expect(sizesOf(await begin({ ...USUAL_PINGS, whileWaiting: 0 }))).toEqual([100_000, 150_000]);
    expect(sizesOf(await begin({ ...USUAL_PINGS, capUsd: 0.0001 }))).toEqual([100_000, 150_000]);
    expect(sizesOf(await begin(USUAL_PINGS, { attendance: "unattended" }))).toEqual([100_000, 150_000]);
  });

  test("is the smaller one if the provider has no pings, or cannot send this request as one", async () => {
    const without = ({ renderPing: _, ...provider }: AnthropicProvider) => provider as AnthropicProvider;
    expect(sizesOf(await begin(USUAL_PINGS, {}, without))).toEqual([100_000, 150_000]);
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const strict = await begin(USUAL_PINGS, { model: "claude-opus-4-5", parameters: { thinking } });
    expect(sizesOf(strict)).toEqual([100_000, 150_000]);
  });
});

test("a provider that refuses a ping gets no other one, and the session compacts earlier from then on", async () => {
  let pings = 0;
  const refusing = (provider: AnthropicProvider): AnthropicProvider => ({
    ...provider,
    async *send(request, options) {
      if (request.max_tokens === 0) {
        pings++;
        throw new ProviderError("anthropic", { kind: "refused", status: 400 }, "max_tokens: must be at least 1");
      }
      return yield* provider.send(request, options);
    },
  });
  const { session, clock, callId, round } = await begin(USUAL_PINGS, {}, refusing);
  const kept = session.provider.keepWarm({ activity: "tool-runs" });
  await clock.pass(10 * MINUTE_MS, kept);
  expect(await kept).toMatchObject({
    pings: 0,
    ended: "failed",
    because: expect.stringContaining("must be at least 1"),
  });
  expect(session.view.size().compaction).toMatchObject({ atTokens: 100_000, withinTurnAtTokens: 150_000 });
  await session.append(toolResult(callId, "Built."));
  await round();
  expect(await session.provider.keepWarm({ activity: "waiting" })).toMatchObject({
    ended: "decided",
    because: "the provider accepts no pings: anthropic: max_tokens: must be at least 1",
  });
  expect(pings).toBe(1);
});
