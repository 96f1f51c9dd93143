import { bytesTokenizer, createAnthropic, manualClock } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createPrefixCache } from "./prefix-cache.ts";
import type { RuleMessage } from "./rule.ts";

const MODEL = "claude-opus-4-8";
const SYSTEM = "You are careful. ".repeat(400);
const tokenizer = bytesTokenizer();
const headTokens = tokenizer.countText(SYSTEM) + tokenizer.blockTokens;

interface Step {
  readonly pauseMs: number;
  readonly added: number;
  /** What happens to the conversation before it. */
  readonly change: { readonly at: number } | "none";
}

const step: fc.Arbitrary<Step> = fc.record({
  pauseMs: fc.constantFrom(1_000, 60_000, 299_999, 300_000, 900_000),
  added: fc.integer({ min: 1, max: 6 }),
  change: fc.oneof({ weight: 4, arbitrary: fc.constant("none" as const) }, fc.record({ at: fc.nat(30) })),
});

/** The same requests, once through the light cache and once through the judge. */
function compare(steps: readonly Step[], lifetime: "5m" | "1h") {
  const clock = manualClock();
  const judge = createAnthropic({ clock });
  const lifetimeMs = lifetime === "1h" ? 3_600_000 : 300_000;
  const cache = createPrefixCache({ lifetimeMs, headTokens, minimumTokens: 1_024 });
  const mark = { cache_control: lifetime === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" } };
  let messages: RuleMessage[] = [];
  let ends: RuleMessage[] = [];
  let said = 0;
  const words = (): RuleMessage => {
    const text = `${said++} ${"word ".repeat(60 + (said % 7) * 30)}`;
    return { kind: "words", text, blocks: 1, tokens: tokenizer.countText(text) + tokenizer.blockTokens };
  };
  return steps.map(({ pauseMs, added, change }) => {
    clock.advance(pauseMs);
    if (change !== "none" && change.at < messages.length) messages = messages.with(change.at, words());
    messages = [...messages, ...Array.from({ length: added }, words)];
    const marked = new Set([...ends.slice(-2), messages.at(-1)!]);
    ends = [...ends, messages.at(-1)!];
    const verdict = judge.judge({
      model: MODEL,
      max_tokens: 10,
      system: [{ type: "text", text: SYSTEM, ...mark }],
      messages: messages.map((message) => ({
        role: "user",
        content: [{ type: "text", text: message.text, ...(marked.has(message) ? mark : {}) }],
      })),
    });
    if (verdict.kind === "refused") throw new Error(verdict.message);
    const { cacheReadTokens, cacheWriteTokens, longCacheWriteTokens, freshTokens } = verdict.usage;
    const judged = { freshTokens, cacheReadTokens, written: cacheWriteTokens + longCacheWriteTokens };
    const { cacheWriteTokens: written, cacheWrite1hTokens, ...light } = cache.send(messages, clock.now());
    expect(cacheWrite1hTokens ?? 0).toBe(longCacheWriteTokens);
    return { judged, light: { freshTokens: light.freshTokens, cacheReadTokens: light.cacheReadTokens, written } };
  });
}

test("reads and writes what the judge does, whatever is changed and however long the pauses are", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 2, maxLength: 14 }),
      fc.constantFrom("5m" as const, "1h" as const),
      (steps, ttl) => {
        for (const { judged, light } of compare(steps, ttl)) expect(light).toEqual(judged);
      },
    ),
    { numRuns: 60 },
  );
});
