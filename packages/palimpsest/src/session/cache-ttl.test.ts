import { createAnthropic, manualClock } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import type { Settings } from "../settings/settings.ts";
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
async function begin(ttl?: "5m" | "1h", headTtl?: "auto" | "same" | "1h") {
  const clock = manualClock();
  const store = memoryStore({ clock, leaseMs: 0 });
  const face = createAnthropic({ clock });
  const options = (settings: Partial<Settings>): SessionOptions<AnthropicRequest, AnthropicResponse, never> => ({
    store,
    id: "s",
    provider: anthropic({} as never) as never,
    model: "claude-opus-5-5",
    clock,
    system: "You are a careful engineer. ".repeat(500),
    settings,
    settingsFrom: { environment: {} },
  });
  const session = await openSession(
    options({
      ...(ttl === undefined ? {} : { "cache.ttl": ttl }),
      ...(headTtl === undefined ? {} : { "cache.headTtl": headTtl }),
    }),
  );
  async function ask(question: string): Promise<Asked> {
    await session.append(question);
    const request = await session.prepare();
    const answered = face.answer(request);
    if (answered.kind === "refused") throw new Error(answered.message);
    const { usage } = await session.record(answered.response as unknown as AnthropicResponse);
    return { ttls: ttlsOf(request), readTokens: usage.cacheReadTokens };
  }
  return { session, clock, ask, reopen: (settings: Partial<Settings>) => openSession(options(settings)) };
}

describe("cache.ttl", () => {
  test("keeps the cache through a pause of forty minutes with an hour, and loses it after ten minutes with five minutes", async () => {
    for (const [ttl, pauseMs, cache] of [
      ["5m", MINUTE_MS, "warm"],
      ["5m", 10 * MINUTE_MS, "cold"],
      ["1h", 40 * MINUTE_MS, "warm"],
      ["1h", 90 * MINUTE_MS, "cold"],
    ] as const) {
      const { clock, ask } = await begin(ttl, "same");
      expect((await ask("One.")).ttls).toEqual([ttl, ttl]);
      clock.advance(pauseMs);
      const { readTokens, ttls } = await ask("Two.");
      expect(new Set(ttls)).toEqual(new Set([ttl]));
      expect(readTokens > 2_000).toBe(cache === "warm");
    }
  });

  test("renders the same bytes after a resume with other settings", async () => {
    for (const [chosen, later] of [
      ["5m", "1h"],
      ["1h", "5m"],
    ] as const) {
      const { session, reopen } = await begin(chosen);
      await session.append("One.");
      const bytes = JSON.stringify(await session.prepare());
      await session.close();
      expect(JSON.stringify(await (await reopen({ "cache.ttl": later })).prepare())).toBe(bytes);
    }
  });
});

describe("cache.headTtl", () => {
  test("reads the head after a pause if only the head has an hour", async () => {
    const { session, clock, ask } = await begin("5m", "1h");
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

  test("gives the head an hour only after the first pause that cost it, with auto", async () => {
    const { clock, ask } = await begin("5m", "auto");
    expect((await ask("One.")).ttls).toEqual(["5m", "5m"]);
    clock.advance(10 * MINUTE_MS);
    expect(await ask("Two.")).toEqual({ ttls: ["1h", "5m", "5m"], readTokens: 0 });
    clock.advance(10 * MINUTE_MS);
    expect((await ask("Three.")).readTokens).toBeGreaterThan(2_000);
  });

  test("gives the head an hour if the messages have an hour", async () => {
    expect((await (await begin("1h", "same")).ask("One.")).ttls).toEqual(["1h", "1h"]);
    expect((await (await begin("1h", "1h")).ask("One.")).ttls).toEqual(["1h", "1h"]);
  });

  test("renders the head with the same bytes after a resume", async () => {
    const { session, reopen } = await begin("5m", "1h");
    await session.append("One.");
    const bytes = JSON.stringify(await session.prepare());
    await session.close();
    expect(JSON.stringify(await (await reopen({ "cache.headTtl": "same" })).prepare())).toBe(bytes);
  });
});
