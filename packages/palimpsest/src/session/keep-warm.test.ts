import Anthropic from "@anthropic-ai/sdk";
import { callTool, callTools, createAnthropic, inOrder, manualClock, serve } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { USUAL_COSTS } from "../cost/ledger.ts";
import { toolResult } from "../log/messages.ts";
import type { KeepWarmNumbers } from "../policy/policy.ts";
import { headByPauses } from "../policy/rules/cache.ts";
import { coding } from "../presets/coding.ts";
import { anthropic } from "../providers/anthropic.ts";
import type { SessionEvent } from "../session-event.ts";
import type { SessionOptions } from "../state/options.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { type Pause, type PauseActivity, type PingLimits, planPing } from "./keep-warm.ts";
import { openSession } from "./open.ts";

const MINUTE_MS = 60_000;
const model = "claude-opus-5-5";
const tools = [{ name: "build", inputSchema: { type: "object" } }];
const call = callTools(callTool("build", {}));

const KEEP_WARM: KeepWarmNumbers = { whileToolRuns: 11, whileWaiting: 2, capUsd: 0.5 };

type AnthropicProvider = ReturnType<typeof anthropic>;

/** A session with a five-minute cache whose model has called a tool, with the real client on a virtual clock. */
async function begin(
  keepWarm: KeepWarmNumbers | "off" = KEEP_WARM,
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
    policy: { ...coding(), cache: keepWarm === "off" ? headByPauses() : headByPauses({ keepWarm }) },
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
    const begun = await begin({ ...KEEP_WARM, whileToolRuns: 3 });
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
    const begun = await begin({ ...KEEP_WARM, capUsd: 0.005 });
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
    const strict = await begin(KEEP_WARM, { model: "claude-opus-4-5", parameters: { thinking } });
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
  const { session, clock, callId } = await begin(KEEP_WARM, {}, slowly);
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
  const { session, clock } = await begin(KEEP_WARM, { onEvent: (event: SessionEvent) => void events.push(event) });
  const warmed = () => events.filter((event) => event.kind === "cache-warmed");
  const kept = session.provider.keepWarm({ activity: "tool-runs" });
  await clock.pass(12 * MINUTE_MS, kept);
  expect(warmed()).toMatchObject([{ activity: "tool-runs", pings: 1 }, { pings: 2 }]);
  const [first, second] = warmed();
  expect(second!.pausePriceUsd).toBeCloseTo(first!.priceUsd + second!.priceUsd, 12);
  await session.close();
});

describe("planPing", () => {
  const MINUTE_MS = 60_000;
  const UNLIMITED: PingLimits = { pings: 1_000, capUsd: 1_000 };
  const pause: Pause = {
    activity: "waiting",
    sinceMs: 0,
    refreshedAtMs: 0,
    lifetimeMs: 5 * MINUTE_MS,
    prefixTokens: 100_000,
    costs: { ...USUAL_COSTS, usdPerUnit: 4e-6 },
    pings: 0,
    spentUsd: 0,
    nowMs: 0,
  };

  /** Returns the number of pings in a pause that never ends. */
  function pingsOf(activity: PauseActivity, more: Partial<Pause> = {}, limits = UNLIMITED): number {
    let now: Pause = { ...pause, activity, ...more };
    for (;;) {
      const { obstacle, dueAtMs } = planPing(now, limits);
      if (obstacle !== undefined) return now.pings;
      const spentUsd = now.spentUsd + now.prefixTokens * now.costs.read * now.costs.usdPerUnit!;
      now = { ...now, pings: now.pings + 1, spentUsd, refreshedAtMs: dueAtMs, nowMs: dueAtMs };
    }
  }

  describe("a ping", () => {
    test("is due shortly before the cache expires", () => {
      expect(planPing(pause, UNLIMITED).dueAtMs).toBe(4.5 * MINUTE_MS);
      expect(planPing({ ...pause, lifetimeMs: 60 * MINUTE_MS }, UNLIMITED).dueAtMs).toBe(59.5 * MINUTE_MS);
      expect(planPing({ ...pause, refreshedAtMs: 7 * MINUTE_MS }, UNLIMITED).dueAtMs).toBe(11.5 * MINUTE_MS);
    });

    test("pays if a read costs less than a write times the probability of a return in time", () => {
      const obstacle = (read: number) => planPing({ ...pause, costs: { ...pause.costs, read } }, UNLIMITED).obstacle;
      expect(obstacle(0.2)).toBeUndefined();
      expect(obstacle(0.3)).toMatch(/a ping does not pay: .* a probability of 2\d%$/);
    });

    test("pays off about as often as in recorded sessions: 2 or 3 times for a user, 11 times for a tool", () => {
      expect(pingsOf("waiting")).toBeGreaterThanOrEqual(2);
      expect(pingsOf("waiting")).toBeLessThanOrEqual(4);
      expect(pingsOf("tool-runs")).toBeGreaterThanOrEqual(10);
      expect(pingsOf("tool-runs")).toBeLessThanOrEqual(13);
      const hour = { lifetimeMs: 60 * MINUTE_MS, costs: { ...pause.costs, write: 2 } };
      expect(pingsOf("waiting", hour)).toBeGreaterThanOrEqual(1);
    });

    test("pays off longer if reads are cheaper", () => {
      const costs = { ...pause.costs, read: 0.025 };
      expect(pingsOf("waiting", { costs })).toBeGreaterThan(10);
    });

    test("is not sent above its limits, for a cold or empty cache, or without known prices", () => {
      expect(pingsOf("tool-runs", {}, { pings: 4, capUsd: 1_000 })).toBe(4);
      // Each ping costs 4 cents.
      expect(pingsOf("tool-runs", {}, { pings: 11, capUsd: 0.1 })).toBe(2);
      const why = (more: Partial<Pause>) => planPing({ ...pause, ...more }, UNLIMITED).obstacle;
      expect(why({ nowMs: 5 * MINUTE_MS })).toBe("the cache has expired");
      expect(why({ prefixTokens: 0 })).toBe("the cache is empty");
      expect(why({ costs: USUAL_COSTS })).toMatch(/prices are unknown/);
    });

    test("never exceeds a limit in any sequence", () => {
      fc.assert(
        fc.property(
          fc.constantFrom("tool-runs" as const, "waiting" as const),
          fc.integer({ min: 0, max: 20 }),
          fc.double({ min: 0, max: 2, noNaN: true }),
          fc.integer({ min: 1, max: 500_000 }),
          (activity, pings, capUsd, prefixTokens) => {
            const sent = pingsOf(activity, { prefixTokens }, { pings, capUsd });
            expect(sent).toBeLessThanOrEqual(pings);
            expect(sent * prefixTokens * 0.1 * 4e-6).toBeLessThanOrEqual(capUsd + 1e-9);
          },
        ),
      );
    });
  });
});
