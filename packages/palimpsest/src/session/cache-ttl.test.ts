import { createAnthropic, manualClock } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import type { Settings } from "../settings/settings.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open-session.ts";
import type { SessionOptions } from "./session-options.ts";

const MINUTE_MS = 60_000;

/** A session with a prompt of some 4,000 tokens, judged in this process. */
async function begin(ttl?: "auto" | "5m" | "1h") {
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
  const session = await openSession(options(ttl === undefined ? {} : { "cache.ttl": ttl }));
  async function ask(question: string): Promise<{ readonly ttl: string; readonly readTokens: number }> {
    await session.append(question);
    const request = await session.prepare();
    const answered = face.answer(request);
    if (answered.kind === "refused") throw new Error(answered.message);
    const { usage } = await session.record(answered.response as unknown as AnthropicResponse);
    return { ttl: /"ttl":"1h"/.test(JSON.stringify(request)) ? "1h" : "5m", readTokens: usage.cacheReadTokens };
  }
  return { session, clock, ask, reopen: (settings: Partial<Settings>) => openSession(options(settings)) };
}

describe("cache.ttl", () => {
  test("auto takes five minutes at first, and an hour once pauses have cost the cache", async () => {
    const { clock, ask } = await begin();
    expect(await ask("One.")).toMatchObject({ ttl: "5m" });
    clock.advance(MINUTE_MS);
    expect((await ask("Two.")).readTokens).toBeGreaterThan(2_000);
    for (const [pauseMs, ttl, cache] of [
      [10 * MINUTE_MS, "5m", "cold"],
      [10 * MINUTE_MS, "1h", "cold"],
      [20 * MINUTE_MS, "1h", "warm"],
      [40 * MINUTE_MS, "1h", "warm"],
    ] as const) {
      clock.advance(pauseMs);
      const { readTokens, ...asked } = await ask("And now?");
      expect(asked).toEqual({ ttl });
      expect(readTokens > 2_000).toBe(cache === "warm");
    }
  });

  test("what was chosen is in the request's entry: the same bytes after a resume, whatever the settings say then", async () => {
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
