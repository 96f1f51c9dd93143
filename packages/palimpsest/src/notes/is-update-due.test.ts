import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { USUAL_COSTS } from "../cost/prices.ts";
import {
  coldChance,
  FIXED_UPDATES,
  isUpdateDue,
  PAYING_UPDATES,
  type UpdatePolicy,
  type UpdateSituation,
  updatePrice,
} from "./when.ts";

const SITUATION: UpdateSituation = {
  sizeTokens: 120_000,
  cachedTokens: 119_500,
  conversationTokens: 100_000,
  uncoveredTokens: 100_000,
  notesTokens: 0,
  keptTokens: 10_000,
  toolCallsSinceUpdate: 10,
  turn: "open",
  thresholdTokens: 167_000,
  coldStart: "folded",
  idleMs: 0,
  lifetimeMs: 300_000,
  costs: USUAL_COSTS,
};
const paying = (more: Partial<UpdateSituation>) => isUpdateDue({ ...SITUATION, ...more }, PAYING_UPDATES);
const fixed = (more: Partial<UpdateSituation>) => isUpdateDue({ ...SITUATION, ...more }, FIXED_UPDATES);

describe("by growth and calls alone", () => {
  test.each([
    ["a short conversation", { conversationTokens: 9_999, uncoveredTokens: 9_999 }, "not-due"],
    ["the first time", { conversationTokens: 10_000, uncoveredTokens: 10_000 }, "due"],
    ["too little since", { uncoveredTokens: 4_999 }, "not-due"],
    ["enough since, and calls", { uncoveredTokens: 5_000, toolCallsSinceUpdate: 3 }, "due"],
    ["enough since, few calls", { uncoveredTokens: 5_000, toolCallsSinceUpdate: 2 }, "not-due"],
    ["enough since, a pause", { uncoveredTokens: 5_000, toolCallsSinceUpdate: 0, turn: "closed" }, "due"],
    ["calls without tokens", { uncoveredTokens: 100, toolCallsSinceUpdate: 50, turn: "closed" }, "not-due"],
  ] as const)("%s", (_, more, kind) => {
    expect(fixed(more).kind).toBe(kind);
  });
});

describe("when it pays", () => {
  test("not while the work goes on, however much has come", () => {
    expect(paying({})).toEqual({ kind: "not-due", reason: expect.stringContaining("compaction is far") });
  });

  test("shortly before the cache ends", () => {
    expect(paying({ idleMs: 239_000 }).kind).toBe("not-due");
    expect(paying({ idleMs: 241_000 })).toMatchObject({ kind: "due", occasion: "cache-ends" });
    expect(paying({ idleMs: 241_000, lifetimeMs: 3_600_000 }).kind).toBe("not-due");
    expect(paying({ idleMs: 3_000_000, lifetimeMs: 3_600_000 })).toMatchObject({ kind: "due" });
  });

  test("never when the prompt is cold", () => {
    expect(paying({ idleMs: 300_000 })).toEqual({ kind: "not-due", reason: "the prompt is cold" });
    expect(paying({ cachedTokens: 0, turn: "closed" }).reason).toBe("the prompt is cold");
  });

  test("not where a cold start is cheap, or sends everything whatever the notes say", () => {
    const small = { sizeTokens: 35_000, cachedTokens: 34_000, conversationTokens: 15_000, uncoveredTokens: 15_000 };
    expect(paying({ ...small, idleMs: 250_000 }).reason).toMatch(/about to end: .* costs what \d+ .* saves \d+/);
    expect(paying({ ...small, idleMs: 250_000 }).kind).toBe("not-due");
    expect(paying({ coldStart: "whole", idleMs: 250_000 }).kind).toBe("not-due");
  });

  test("when compaction is near, unless the notes are fresh", () => {
    const near = { sizeTokens: 158_000, cachedTokens: 157_000, conversationTokens: 138_000 };
    expect(paying({ ...near, uncoveredTokens: 138_000 })).toMatchObject({ kind: "due", occasion: "compaction-near" });
    expect(paying({ ...near, uncoveredTokens: 90_000, notesTokens: 3_000 }).kind).toBe("due");
    expect(paying({ ...near, uncoveredTokens: 12_000, notesTokens: 3_000 }).kind).toBe("not-due");
    expect(paying({ ...near, uncoveredTokens: 138_000, thresholdTokens: undefined }).kind).toBe("not-due");
  });

  test("at the end of a turn only if the next message brings a compaction", () => {
    const ended = { turn: "closed" as const, thresholdTokens: 150_000 };
    expect(paying({ ...ended, betweenTurnsTokens: 125_000 }).kind).toBe("not-due");
    expect(paying({ ...ended, betweenTurnsTokens: 120_000 })).toMatchObject({
      kind: "due",
      occasion: "compaction-near",
    });
    expect(paying({ ...ended, betweenTurnsTokens: 120_000, turn: "open" }).kind).toBe("not-due");
    expect(paying({ ...ended, thresholdTokens: 130_000, turn: "open" }).kind).toBe("due");
  });

  test("never when it costs more than it saves", () => {
    const dear = { ...USUAL_COSTS, output: 100 };
    expect(paying({ idleMs: 250_000, costs: dear }).kind).toBe("not-due");
  });

  test("whatever the situation: never cold, and never for more than the conversation costs in full or a summary of it", () => {
    const tokens = fc.integer({ min: 0, max: 300_000 });
    const situation = fc.record({
      cachedTokens: tokens,
      conversationTokens: tokens,
      uncoveredTokens: tokens,
      thresholdTokens: tokens,
      notesTokens: fc.integer({ min: 0, max: 12_000 }),
      turn: fc.constantFrom("open" as const, "closed" as const),
      idleMs: fc.integer({ min: 0, max: 400_000 }),
      costs: fc.record({
        read: fc.double({ min: 0.01, max: 1, noNaN: true }),
        write: fc.double({ min: 1, max: 2, noNaN: true }),
        input: fc.constant(1),
        output: fc.double({ min: 1, max: 20, noNaN: true }),
      }),
    });
    let due = 0;
    fc.assert(
      fc.property(situation, (random) => {
        const now = { ...SITUATION, ...random, sizeTokens: random.conversationTokens + 20_000 };
        if (isUpdateDue(now, PAYING_UPDATES).kind === "not-due") return;
        due++;
        const { sizeTokens, cachedTokens, conversationTokens, idleMs, lifetimeMs, costs } = now;
        expect(idleMs).toBeLessThan(lifetimeMs);
        expect(cachedTokens).toBeGreaterThan(0);
        const held = Math.min(cachedTokens, sizeTokens);
        const summary = held * costs.read + (sizeTokens - held + 800) * costs.input + 4_100 * costs.output;
        expect(updatePrice(now, costs)).toBeLessThanOrEqual(Math.max(conversationTokens * costs.write, summary));
      }),
      { numRuns: 1_000 },
    );
    expect(due).toBeGreaterThan(50);
  });

  test("the chance of a cold start is what was recorded", () => {
    const [fiveMinutes, hour] = [300_000, 3_600_000];
    expect(coldChance(0, fiveMinutes, "closed")).toBeCloseTo(487 / 1_847, 2);
    expect(coldChance(0, hour, "closed")).toBeCloseTo(113 / 1_847, 2);
    expect(coldChance(0, fiveMinutes, "open")).toBeCloseTo(184 / 18_481, 3);
    expect(coldChance(0, hour, "open")).toBeCloseTo(16 / 18_481, 3);
    expect(coldChance(fiveMinutes, fiveMinutes, "closed")).toBe(1);
  });
});

/** A session like the recorded ones: per request some 800 tokens, sometimes many more; turns of 11; a quarter of the pauses long. */
function bill(policy: UpdatePolicy | "none", requests: number) {
  const costs = USUAL_COSTS;
  const random = randomNumbers(7);
  const [around, threshold, kept, output] = [20_000, 167_000, 10_000, 500];
  let [conversation, uncovered, notes, calls, cached] = [5_000, 5_000, 0, 0, 0];
  const spent = { session: 0, updates: 0, count: 0, summaries: 0, cold: 0 };
  const situation = (turn: "open" | "closed", idleMs: number): UpdateSituation => ({
    sizeTokens: around + conversation,
    cachedTokens: cached,
    conversationTokens: conversation,
    uncoveredTokens: uncovered,
    notesTokens: notes,
    keptTokens: kept,
    toolCallsSinceUpdate: calls,
    turn,
    thresholdTokens: threshold,
    coldStart: policy === "none" ? "whole" : "folded",
    idleMs,
    lifetimeMs: 300_000,
    costs,
  });
  const maybeUpdate = (now: UpdateSituation): void => {
    if (policy === "none" || isUpdateDue(now, policy).kind === "not-due") return;
    spent.updates += updatePrice(now, costs);
    spent.count++;
    notes = Math.min(4_000, notes + 800 + 0.02 * uncovered);
    [uncovered, calls] = [0, 0];
  };
  const fold = (): void => {
    conversation = notes + Math.max(uncovered, kept);
    cached = Math.min(cached, around);
  };

  for (let request = 1; request <= requests; request++) {
    if (around + conversation >= threshold) {
      if (notes > 0 && around + notes + uncovered < threshold) fold();
      else {
        spent.session += (around + conversation) * costs.read + 4_100 * costs.output;
        spent.summaries++;
        [conversation, uncovered] = [4_100 + kept, 4_100 + kept];
        cached = around;
      }
    }
    const size = around + conversation;
    spent.session += cached * costs.read + (size - cached) * costs.write + output * costs.output;
    cached = size;
    conversation += output;
    uncovered += output;
    const turn = request % 11 === 0 ? "closed" : "open";
    if (turn === "open") calls++;
    maybeUpdate(situation(turn, 0));
    const chance = random();
    const gapMs = turn === "open" ? (chance < 0.01 ? 600_000 : 10_000) : chance < 0.26 ? 900_000 : 60_000;
    if (gapMs >= 250_000) maybeUpdate(situation(turn, 250_000));
    if (gapMs >= 300_000) {
      spent.cold++;
      cached = 0;
      if (notes > 0 && notes + Math.max(uncovered, kept) < conversation / 2) fold();
    }
    const growth = random() < 0.05 ? 5_000 : 100 + 300 * random();
    conversation += growth;
    uncovered += growth;
  }
  return { ...spent, total: spent.session + spent.updates };
}

/** The same numbers every time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("a session of 2,000 requests", () => {
  const [without, byGrowth, whenItPays] = [
    bill("none", 2_000),
    bill(FIXED_UPDATES, 2_000),
    bill(PAYING_UPDATES, 2_000),
  ];

  test("by growth: every sixth request or so, for 15 to 17% of the bill", () => {
    expect(2_000 / byGrowth.count).toBeGreaterThan(5);
    expect(2_000 / byGrowth.count).toBeLessThan(7);
    expect(byGrowth.updates / without.total).toBeGreaterThan(0.12);
    expect(byGrowth.updates / without.total).toBeLessThan(0.2);
  });

  test("when it pays: at most a fifth of that, and the session costs less than without notes", () => {
    expect(whenItPays.updates).toBeLessThan(byGrowth.updates / 5);
    expect(whenItPays.total).toBeLessThan(without.total);
    expect(whenItPays.total).toBeLessThan(byGrowth.total);
    expect(whenItPays.summaries).toBe(0);
  });
});
