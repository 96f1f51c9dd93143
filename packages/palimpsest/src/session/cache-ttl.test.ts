import { createAnthropic, manualClock } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import type { CacheRule } from "../policy/policy.ts";
import { fixedLifetimes, headByPauses } from "../policy/rules/cache.ts";
import { coding } from "../presets/coding.ts";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import type { SessionOptions } from "../state/options.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open.ts";

const MINUTE_MS = 60_000;

interface Asked {
  /** The lifetimes of the cache marks, in the order of the prompt. */
  readonly ttls: readonly string[];
  readonly readTokens: number;
}

function ttlsOf({ system, messages }: AnthropicRequest): readonly string[] {
  const marks = JSON.stringify([system, messages]).match(/"cache_control":\{[^}]*\}/g) ?? [];
  return marks.map((mark) => (mark.includes("1h") ? "1h" : "5m"));
}

/** A session with a prompt of about 4,000 tokens, judged in this process. */
async function begin(cache: CacheRule) {
  const clock = manualClock();
  const store = memoryStore({ clock, leaseMs: 0 });
  const face = createAnthropic({ clock });
  const options = (rule: CacheRule): SessionOptions<AnthropicRequest, AnthropicResponse, never> => ({
    store,
    id: "s",
    provider: anthropic({} as never) as never,
    model: "claude-opus-5-5",
    clock,
    system: "You are a careful engineer. ".repeat(500),
    policy: { ...coding(), cache: rule },
    settingsFrom: { environment: {} },
  });
  const session = await openSession(options(cache));
  async function ask(question: string): Promise<Asked> {
    await session.append(question);
    const request = await session.prepare();
    const answered = face.answer(request);
    if (answered.kind === "refused") throw new Error(answered.message);
    const { usage } = await session.record(answered.response as unknown as AnthropicResponse);
    return { ttls: ttlsOf(request), readTokens: usage.cacheReadTokens };
  }
  return { session, clock, ask, reopen: (rule: CacheRule) => openSession(options(rule)) };
}

describe("the lifetime of the conversation", () => {
  test("keeps the cache through a pause of forty minutes with an hour, and loses it after ten minutes with five minutes", async () => {
    for (const [ttl, pauseMs, cache] of [
      ["5m", MINUTE_MS, "warm"],
      ["5m", 10 * MINUTE_MS, "cold"],
      ["1h", 40 * MINUTE_MS, "warm"],
      ["1h", 90 * MINUTE_MS, "cold"],
    ] as const) {
      const { clock, ask } = await begin(fixedLifetimes(ttl, ttl));
      expect((await ask("One.")).ttls).toEqual([ttl, ttl]);
      clock.advance(pauseMs);
      const { readTokens, ttls } = await ask("Two.");
      expect(new Set(ttls)).toEqual(new Set([ttl]));
      expect(readTokens > 2_000).toBe(cache === "warm");
    }
  });

  test("renders the same bytes after a resume with another rule", async () => {
    for (const [chosen, later] of [
      ["5m", "1h"],
      ["1h", "5m"],
    ] as const) {
      const { session, reopen } = await begin(fixedLifetimes(chosen, chosen));
      await session.append("One.");
      const bytes = JSON.stringify(await session.prepare());
      await session.close();
      expect(JSON.stringify(await (await reopen(fixedLifetimes(later, later))).prepare())).toBe(bytes);
    }
  });
});

describe("the lifetime of the head", () => {
  test("reads the head after a pause if only the head has an hour", async () => {
    const { session, clock, ask } = await begin(fixedLifetimes("1h", "5m"));
    await ask("One. ".repeat(3_000));
    clock.advance(20 * MINUTE_MS);
    const { ttls, readTokens } = await ask("Two.");
    expect(ttls).toEqual(["1h", "5m", "5m"]);
    expect(readTokens).toBeGreaterThan(2_000);
    expect(readTokens).toBeLessThan(4_500);
    // Another pause costs the messages but not the head: at least 2,000 tokens, at $0.2 instead of $5.
    const { inputTokens, coldUsd } = (await session.ledger.cost()).nextRequest;
    expect(coldUsd!).toBeLessThan((inputTokens * 5 - 2_000 * (5 - 0.2)) / 1e6);
  });

  test("gives the head an hour only after the first pause that cost it, with the rule of pauses", async () => {
    const { clock, ask } = await begin(headByPauses());
    expect((await ask("One.")).ttls).toEqual(["5m", "5m"]);
    clock.advance(10 * MINUTE_MS);
    expect(await ask("Two.")).toEqual({ ttls: ["1h", "5m", "5m"], readTokens: 0 });
    clock.advance(10 * MINUTE_MS);
    expect((await ask("Three.")).readTokens).toBeGreaterThan(2_000);
  });

  test("gives the head an hour if the messages have an hour", async () => {
    // The rule wants five minutes for the head. The provider refuses a head that expires before the messages.
    expect((await (await begin(fixedLifetimes("5m", "1h"))).ask("One.")).ttls).toEqual(["1h", "1h"]);
    expect((await (await begin(fixedLifetimes("1h", "1h"))).ask("One.")).ttls).toEqual(["1h", "1h"]);
  });

  test("renders the head with the same bytes after a resume", async () => {
    const { session, reopen } = await begin(fixedLifetimes("1h", "5m"));
    await session.append("One.");
    const bytes = JSON.stringify(await session.prepare());
    await session.close();
    expect(JSON.stringify(await (await reopen(fixedLifetimes("5m", "5m"))).prepare())).toBe(bytes);
  });
});
