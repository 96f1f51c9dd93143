import { describe, expect, it } from "vitest";
import { manualClock } from "./clock.ts";
import { digestText } from "./digest.ts";
import { AUTOMATIC_CACHE, BREAKPOINT_CACHE } from "./openai/models.ts";
import { type CachePlan, type CacheRules, type CachingOptions, planCache } from "./plan-cache.ts";
import { type PromptBlock, renderPrompt } from "./prompt.ts";
import { PromptCache } from "./prompt-cache.ts";
import { inputTokensOf } from "./usage.ts";

const MINUTE_MS = 60_000;

function block(name: string, tokens: number, breakpoint?: PromptBlock["breakpoint"]): PromptBlock {
  return { digest: digestText(name), tokens, ...(breakpoint === undefined ? {} : { breakpoint }) };
}

function desk(rules: CacheRules) {
  const clock = manualClock();
  const cache = new PromptCache(clock);
  const ask = (blocks: readonly PromptBlock[], options: CachingOptions = {}): CachePlan => {
    const prompt = renderPrompt({ settings: [], head: blocks, entries: [] });
    const plan = planCache({ prompt, rules, options, cache });
    expect(inputTokensOf(plan.usage)).toBe(prompt.prefix.tokens);
    return plan;
  };
  const send = (blocks: readonly PromptBlock[], options: CachingOptions = {}): CachePlan => {
    const plan = ask(blocks, options);
    plan.commit();
    return plan;
  };
  return { clock, ask, send };
}

const big = block("big", 2_000);
const next = block("next", 500);

describe("7.2 automatic caching before GPT-5.6", () => {
  it("reads in steps of 128 tokens and writes free of charge", () => {
    const { send } = desk(AUTOMATIC_CACHE);
    expect(send([big]).usage).toMatchObject({ freshTokens: 2_000, cacheReadTokens: 0, cacheWriteTokens: 0 });
    expect(send([big, next]).usage).toMatchObject({ freshTokens: 580, cacheReadTokens: 1_920, cacheWriteTokens: 0 });
  });

  it("caches nothing below 1,024 tokens", () => {
    const { send } = desk(AUTOMATIC_CACHE);
    send([block("small", 1_023)]);
    expect(send([block("small", 1_023), next]).usage.cacheReadTokens).toBe(0);
  });

  it("reads the longest prefix that two prompts share, marked or not", () => {
    const { send } = desk(AUTOMATIC_CACHE);
    send([big, next, block("one", 900)]);
    expect(send([big, next, block("other", 900)]).usage.cacheReadTokens).toBe(2_432);
  });

  it("forgets after five idle minutes, and a read starts them again", () => {
    const { send, clock } = desk(AUTOMATIC_CACHE);
    send([big]);
    clock.advance(5 * MINUTE_MS - 1);
    expect(send([big]).usage.cacheReadTokens).toBe(1_920);
    clock.advance(5 * MINUTE_MS - 1);
    expect(send([big]).usage.cacheReadTokens).toBe(1_920);
    clock.advance(5 * MINUTE_MS);
    expect(send([big]).usage.cacheReadTokens).toBe(0);
  });

  it("keeps for a day what was sent with 24h retention", () => {
    const { send, clock } = desk(AUTOMATIC_CACHE);
    send([big], { retention: "24h" });
    clock.advance(23 * 60 * MINUTE_MS);
    expect(send([big]).usage.cacheReadTokens).toBe(1_920);
  });
});

describe("7.2 breakpoints from GPT-5.6 on", () => {
  it("starts the half hour of an entry again by reading it, though the request marks another place", () => {
    const { send, clock } = desk(BREAKPOINT_CACHE);
    send([big]);
    clock.advance(29 * MINUTE_MS);
    expect(send([big, next]).usage.cacheReadTokens).toBe(2_000);
    clock.advance(29 * MINUTE_MS);
    expect(send([big, block("other", 500)]).usage.cacheReadTokens).toBe(2_000);
  });

  it("bills the write of the newest message, and reads it to the token", () => {
    const { send } = desk(BREAKPOINT_CACHE);
    expect(send([big]).usage).toMatchObject({ freshTokens: 0, cacheWriteTokens: 2_000 });
    expect(send([big, next]).usage).toMatchObject({ freshTokens: 0, cacheReadTokens: 2_000, cacheWriteTokens: 500 });
  });

  it("does not fall back to a shorter prefix that was never marked", () => {
    const { send } = desk(BREAKPOINT_CACHE);
    send([big, block("one", 100)]);
    expect(send([big, block("other", 100)]).usage.cacheReadTokens).toBe(0);
  });

  it("reads at an explicit breakpoint", () => {
    const { send } = desk(BREAKPOINT_CACHE);
    const marked = block("big", 2_000, "inherited");
    send([marked, block("one", 100)]);
    expect(send([marked, block("other", 100)]).usage.cacheReadTokens).toBe(2_000);
  });

  it("writes one implicit and the last three explicit breakpoints", () => {
    const { send, ask } = desk(BREAKPOINT_CACHE);
    const marked = [1, 2, 3, 4].map((each) => block(`part ${each}`, 1_100, "30m"));
    send([...marked, next]);
    expect(ask(marked.slice(0, 1)).usage.cacheReadTokens).toBe(0);
    expect(ask(marked.slice(0, 2)).usage.cacheReadTokens).toBe(2_200);
    expect(ask([...marked, next]).usage.cacheReadTokens).toBe(4_900);
  });

  it("writes the last four explicit breakpoints in explicit mode, and nothing without one", () => {
    const { send, ask } = desk(BREAKPOINT_CACHE);
    const marked = [1, 2, 3, 4, 5].map((each) => block(`part ${each}`, 1_100, "30m"));
    expect(send([big], { mode: "explicit" }).usage).toMatchObject({ freshTokens: 2_000, cacheWriteTokens: 0 });
    expect(send([...marked, next], { mode: "explicit" }).usage).toMatchObject({
      cacheWriteTokens: 5_500,
      freshTokens: 500,
    });
    expect(ask(marked.slice(0, 1)).usage.cacheReadTokens).toBe(0);
    expect(ask(marked.slice(0, 2)).usage.cacheReadTokens).toBe(2_200);
  });

  it("considers the latest 80 breakpoints only", () => {
    const { send, ask } = desk(BREAKPOINT_CACHE);
    send([block("part 0", 1_100, "30m")]);
    const parts = (count: number) => Array.from({ length: count }, (_, each) => block(`part ${each}`, 1_100, "30m"));
    expect(ask(parts(80)).usage.cacheReadTokens).toBe(1_100);
    expect(ask(parts(81)).usage.cacheReadTokens).toBe(0);
  });

  it("tells twelve-hour writes from thirty-minute ones, and keeps them apart", () => {
    const { send, ask, clock } = desk(BREAKPOINT_CACHE);
    const marked = block("big", 2_000, "12h");
    expect(send([marked, next]).usage).toMatchObject({ longCacheWriteTokens: 2_000, cacheWriteTokens: 500 });
    clock.advance(30 * MINUTE_MS);
    expect(ask([marked, next]).usage.cacheReadTokens).toBe(2_000);
    clock.advance(12 * 60 * MINUTE_MS);
    expect(ask([marked, next]).usage.cacheReadTokens).toBe(0);
  });

  it("writes nothing below 1,024 tokens", () => {
    expect(desk(BREAKPOINT_CACHE).send([block("small", 1_023)]).usage).toMatchObject({ freshTokens: 1_023 });
  });

  it("writes only when the answer begins", () => {
    const { ask } = desk(BREAKPOINT_CACHE);
    ask([big]);
    expect(ask([big]).usage.cacheReadTokens).toBe(0);
  });
});
