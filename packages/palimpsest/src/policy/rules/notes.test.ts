import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NotesRule } from "../policy.ts";
import { stateOf, TEST_MODELS } from "../testing.ts";
import type { CacheSegment, NotesState, TokenPrices, WindowState } from "../window-state.ts";
import { coldChance, notesByGrowth, notesWhenTheyPay, updatePrice } from "./notes.ts";

const GROWTH = notesByGrowth({ firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 });
const PAYING = notesWhenTheyPay({ beforeColdShare: 0.2, nearTokens: 10_000 });
const USUAL: TokenPrices = { input: 1, read: 0.1, write: 1.25, output: 5 };
/** The system prompt and the tools. */
const HEAD_TOKENS = 20_000;

interface Situation {
  readonly conversationTokens: number;
  readonly cachedTokens: number;
  readonly uncoveredTokens: number;
  readonly notesTokens: number;
  readonly toolCallsSince: number;
  readonly turn: "idle" | "open";
  readonly idleMs: number;
  readonly lifetimeMs: number;
  readonly compactsAt: WindowState["compactsAt"];
  readonly rates: TokenPrices;
}

/** A session that compacts to save money, before the window is full. */
const SITUATION: Situation = {
  conversationTokens: 100_000,
  cachedTokens: 119_500,
  uncoveredTokens: 100_000,
  notesTokens: 0,
  toolCallsSince: 10,
  turn: "open",
  idleMs: 0,
  lifetimeMs: 300_000,
  compactsAt: { betweenTurnsTokens: 166_000, inTurnTokens: 167_000 },
  rates: USUAL,
};

function stateIn(situation: Situation): WindowState {
  const { conversationTokens, cachedTokens, uncoveredTokens, notesTokens, toolCallsSince } = situation;
  const { turn, idleMs, lifetimeMs, compactsAt, rates } = situation;
  const base = stateOf({
    tokens: HEAD_TOKENS + conversationTokens,
    headTokens: HEAD_TOKENS,
    windowTokens: 200_000,
    turn,
  });
  const status = idleMs < lifetimeMs && cachedTokens > 0 ? "warm" : "cold";
  const expiresAtMs = base.nowMs - idleMs + lifetimeMs;
  const segment: CacheSegment = { name: "conversation", endTokens: cachedTokens, status, expiresAtMs, missCost: 0 };
  const notes: NotesState = {
    coveredTo: notesTokens === 0 ? 0 : 50,
    tokens: notesTokens,
    uncoveredTokens,
    toolCallsSince,
  };
  return {
    ...base,
    cache: { status, idleMs, segments: [segment], keptWarm: false },
    prices: { ...TEST_MODELS.plain.prices, ...rates },
    notes,
    compactsAt,
  };
}

function reasonOf(rule: NotesRule, more: Partial<Situation>): string | undefined {
  return rule.update(stateIn({ ...SITUATION, ...more }))?.because;
}

describe("notesByGrowth", () => {
  test.each([
    ["a short conversation", { conversationTokens: 9_999, uncoveredTokens: 9_999 }, false],
    ["the first time", { conversationTokens: 10_000, uncoveredTokens: 10_000 }, true],
    ["too few new tokens", { uncoveredTokens: 4_999 }, false],
    ["enough new tokens and calls", { uncoveredTokens: 5_000, toolCallsSince: 3 }, true],
    ["enough new tokens and few calls", { uncoveredTokens: 5_000, toolCallsSince: 2 }, false],
    ["enough new tokens at the end of a turn", { uncoveredTokens: 5_000, toolCallsSince: 0, turn: "idle" }, true],
    ["many calls and few new tokens", { uncoveredTokens: 100, toolCallsSince: 50, turn: "idle" }, false],
  ] as const)("%s: due is %s", (_, more, due) => {
    expect(reasonOf(GROWTH, more) !== undefined).toBe(due);
  });

  test("has the usual sizes unless the builder gives others", () => {
    expect(GROWTH).toMatchObject({
      sectionTokens: 2_000,
      totalTokens: 12_000,
      keep: { tokens: 10_000, messages: 5, maxTokens: 40_000 },
    });
    const own = { tokens: 1, messages: 2, maxTokens: 3 };
    const rule = notesWhenTheyPay({ beforeColdShare: 0.2, nearTokens: 1, sectionTokens: 5, totalTokens: 9, keep: own });
    expect(rule).toMatchObject({ sectionTokens: 5, totalTokens: 9, keep: own, params: { keep: own } });
  });
});

describe("notesWhenTheyPay", () => {
  test("is not due while the work continues, however much is new", () => {
    expect(reasonOf(PAYING, {})).toBeUndefined();
  });

  test("is due shortly before the cache expires", () => {
    expect(reasonOf(PAYING, { idleMs: 239_000 })).toBeUndefined();
    expect(reasonOf(PAYING, { idleMs: 241_000 })).toMatch(
      /^the prompt cache is about to expire: .* as much as [\d,]+ .* saves [\d,]+$/,
    );
    expect(reasonOf(PAYING, { idleMs: 241_000, lifetimeMs: 3_600_000 })).toBeUndefined();
    expect(reasonOf(PAYING, { idleMs: 3_000_000, lifetimeMs: 3_600_000 })).toBeDefined();
  });

  test("is never due with a cold prompt", () => {
    expect(reasonOf(PAYING, { idleMs: 300_000 })).toBeUndefined();
    expect(reasonOf(PAYING, { cachedTokens: 0, turn: "idle", idleMs: 250_000 })).toBeUndefined();
  });

  test("is not due if a cold start is cheap, or sends the whole conversation", () => {
    const small = { cachedTokens: 34_000, conversationTokens: 15_000, uncoveredTokens: 15_000 };
    expect(reasonOf(PAYING, { ...small, idleMs: 250_000 })).toBeUndefined();
    const full = { betweenTurnsTokens: 167_000, inTurnTokens: 167_000 };
    expect(reasonOf(PAYING, { compactsAt: full, idleMs: 250_000 })).toBeUndefined();
  });

  test("is due near a compaction, unless the notes are fresh", () => {
    const near = { cachedTokens: 157_000, conversationTokens: 138_000 };
    expect(reasonOf(PAYING, { ...near, uncoveredTokens: 138_000 })).toMatch(/^a compaction is near: /);
    expect(reasonOf(PAYING, { ...near, uncoveredTokens: 90_000, notesTokens: 3_000 })).toBeDefined();
    expect(reasonOf(PAYING, { ...near, uncoveredTokens: 12_000, notesTokens: 3_000 })).toBeUndefined();
    expect(reasonOf(PAYING, { ...near, uncoveredTokens: 138_000, compactsAt: undefined })).toBeUndefined();
  });

  test("is due at the end of a turn only if the next message causes a compaction", () => {
    const sizes = (betweenTurnsTokens: number, inTurnTokens = 150_000) => ({
      compactsAt: { betweenTurnsTokens, inTurnTokens },
    });
    expect(reasonOf(PAYING, { turn: "idle", ...sizes(125_000) })).toBeUndefined();
    expect(reasonOf(PAYING, { turn: "idle", ...sizes(120_000) })).toMatch(/compaction is near/);
    expect(reasonOf(PAYING, { turn: "open", ...sizes(120_000) })).toBeUndefined();
    expect(reasonOf(PAYING, { turn: "open", ...sizes(120_000, 130_000) })).toBeDefined();
  });

  test("is never due if an update costs more than it saves", () => {
    expect(reasonOf(PAYING, { idleMs: 250_000, rates: { ...USUAL, output: 100 } })).toBeUndefined();
  });

  test("is never due with a cold prompt, and never costs more than the conversation or its summary", () => {
    const tokens = fc.integer({ min: 0, max: 300_000 });
    const price = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    const situation = fc.record({
      cachedTokens: tokens,
      conversationTokens: tokens,
      uncoveredTokens: tokens,
      threshold: tokens,
      notesTokens: fc.integer({ min: 0, max: 12_000 }),
      turn: fc.constantFrom("open", "idle" as const),
      idleMs: fc.integer({ min: 0, max: 400_000 }),
      rates: fc.record({ read: price(0.01, 1), write: price(1, 2), input: fc.constant(1), output: price(1, 20) }),
    });
    let due = 0;
    fc.assert(
      fc.property(situation, ({ threshold, ...random }) => {
        const compactsAt = { betweenTurnsTokens: threshold, inTurnTokens: threshold };
        const cachedTokens = Math.min(random.cachedTokens, HEAD_TOKENS + random.conversationTokens);
        const now = { ...SITUATION, ...random, cachedTokens, compactsAt };
        if (PAYING.update(stateIn(now)) === undefined) return;
        due++;
        const { conversationTokens, uncoveredTokens, notesTokens, rates } = now;
        expect(now.idleMs).toBeLessThan(now.lifetimeMs);
        expect(cachedTokens).toBeGreaterThan(0);
        const sizeTokens = HEAD_TOKENS + conversationTokens;
        const summary =
          cachedTokens * rates.read + (sizeTokens - cachedTokens + 800) * rates.input + 4_100 * rates.output;
        const sizes = {
          sizeTokens,
          cachedTokens,
          conversationTokens,
          uncoveredTokens,
          notesTokens,
          keptTokens: 10_000,
        };
        expect(updatePrice(sizes, rates)).toBeLessThanOrEqual(Math.max(conversationTokens * rates.write, summary));
      }),
      { numRuns: 1_000 },
    );
    expect(due).toBeGreaterThan(50);
  });
});

test("the probability of a cold start is the recorded one", () => {
  const [fiveMinutes, hour] = [300_000, 3_600_000];
  expect(coldChance(0, fiveMinutes, "closed")).toBeCloseTo(487 / 1_847, 2);
  expect(coldChance(0, hour, "closed")).toBeCloseTo(113 / 1_847, 2);
  expect(coldChance(0, fiveMinutes, "open")).toBeCloseTo(184 / 18_481, 3);
  expect(coldChance(0, hour, "open")).toBeCloseTo(16 / 18_481, 3);
  expect(coldChance(fiveMinutes, fiveMinutes, "closed")).toBe(1);
});

describe("notes in a session of 2,000 requests", () => {
  /** Yields the same numbers every time. */
  function randomNumbers(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  /**
   * The price of a session like the recorded ones: about 800 tokens for each request, sometimes many more; turns of 11 requests; a
   * quarter of the pauses are long.
   */
  function bill(rule: NotesRule | undefined, requests: number) {
    const random = randomNumbers(7);
    const [threshold, kept, output] = [167_000, 10_000, 500];
    let [conversation, uncovered, notes, calls, cached] = [5_000, 5_000, 0, 0, 0];
    const spent = { session: 0, updates: 0, count: 0, summaries: 0 };
    const maybeUpdate = (turn: "open" | "idle", idleMs: number): void => {
      const now = {
        conversationTokens: conversation,
        cachedTokens: cached,
        uncoveredTokens: uncovered,
        notesTokens: notes,
      };
      const state = stateIn({ ...SITUATION, ...now, toolCallsSince: calls, turn, idleMs });
      if (rule?.update(state) === undefined) return;
      const sizes = { ...now, sizeTokens: state.size.tokens, keptTokens: kept };
      spent.updates += updatePrice(sizes, USUAL);
      spent.count++;
      notes = Math.min(4_000, notes + 800 + 0.02 * uncovered);
      [uncovered, calls] = [0, 0];
    };
    const compactWithNotes = (): void => {
      conversation = notes + Math.max(uncovered, kept);
      cached = Math.min(cached, HEAD_TOKENS);
    };

    for (let request = 1; request <= requests; request++) {
      if (HEAD_TOKENS + conversation >= threshold) {
        if (notes > 0 && HEAD_TOKENS + notes + uncovered < threshold) compactWithNotes();
        else {
          spent.session += (HEAD_TOKENS + conversation) * USUAL.read + 4_100 * USUAL.output;
          spent.summaries++;
          [conversation, uncovered] = [4_100 + kept, 4_100 + kept];
          cached = HEAD_TOKENS;
        }
      }
      const size = HEAD_TOKENS + conversation;
      spent.session += cached * USUAL.read + (size - cached) * USUAL.write + output * USUAL.output;
      cached = size;
      conversation += output;
      uncovered += output;
      const turn = request % 11 === 0 ? "idle" : "open";
      if (turn === "open") calls++;
      maybeUpdate(turn, 0);
      const chance = random();
      const pauseMs = turn === "open" ? (chance < 0.01 ? 600_000 : 10_000) : chance < 0.26 ? 900_000 : 60_000;
      if (pauseMs >= 250_000) maybeUpdate(turn, 250_000);
      if (pauseMs >= 300_000) {
        cached = 0;
        if (notes > 0 && notes + Math.max(uncovered, kept) < conversation / 2) compactWithNotes();
      }
      const growth = random() < 0.05 ? 5_000 : 100 + 300 * random();
      conversation += growth;
      uncovered += growth;
    }
    return { ...spent, total: spent.session + spent.updates };
  }

  const [without, byGrowth, whenTheyPay] = [bill(undefined, 2_000), bill(GROWTH, 2_000), bill(PAYING, 2_000)];

  test("are updated about every sixth request by growth, for 12 to 20% of the price", () => {
    expect(2_000 / byGrowth.count).toBeGreaterThan(5);
    expect(2_000 / byGrowth.count).toBeLessThan(7);
    expect(byGrowth.updates / without.total).toBeGreaterThan(0.12);
    expect(byGrowth.updates / without.total).toBeLessThan(0.2);
  });

  test("cost at most a fifth of that when they pay, and make the session cheaper", () => {
    expect(whenTheyPay.updates).toBeLessThan(byGrowth.updates / 5);
    expect(whenTheyPay.total).toBeLessThan(without.total);
    expect(whenTheyPay.total).toBeLessThan(byGrowth.total);
    expect(whenTheyPay.summaries).toBe(0);
  });
});
