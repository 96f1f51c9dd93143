import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { USUAL_COSTS } from "../cost/prices.ts";
import { decide } from "../policy/decide.ts";
import { type CompactionSituation, compactionCandidate } from "./when.ts";

/** Medians of recorded sessions: what stands before the messages, a summary, and five files put back. */
const HEAD_TOKENS = 31_000;
const SUMMARY_TOKENS = 4_100;
const situation: CompactionSituation = {
  sizeTokens: 120_000,
  keptTokens: HEAD_TOKENS + SUMMARY_TOKENS + 15_000,
  headTokens: HEAD_TOKENS,
  summaryOutputTokens: SUMMARY_TOKENS,
  expectedRereadTokens: 0,
  cache: "warm",
  turn: "closed",
  costs: USUAL_COSTS,
  horizonRequests: 20,
  thresholdTokens: 967_000,
  policy: "economic",
  notes: "none",
};
const decided = (more: Partial<CompactionSituation>) => decide([compactionCandidate({ ...situation, ...more })]).kind;

describe("a compaction", () => {
  test("costs the call, the rewrite and what is read again; saves what is shed on every request", () => {
    const { cost, gain } = compactionCandidate({ ...situation, expectedRereadTokens: 5_000 });
    expect(cost).toBeCloseTo(120_000 * 0.1 + 4_100 * 5 + 19_100 * (1.25 - 0.1) + 5_000 * 1.25);
    expect(gain).toBeCloseTo((120_000 - 50_100 - 5_000) * 0.1 * 20);
  });

  test("at a cold start the old prompt would be written again: the new one is written instead", () => {
    const { cost, gain } = compactionCandidate({ ...situation, cache: "cold" });
    expect(cost).toBeCloseTo(120_000 * 1 + 4_100 * 5);
    expect(gain).toBeCloseTo(69_900 * (1.25 + 19 * 0.1));
  });

  test("with notes at hand a cold session of 500K tokens goes on at the price of its notes", () => {
    const { cost, gain } = compactionCandidate({ ...situation, sizeTokens: 500_000, cache: "cold", notes: "at-hand" });
    expect(cost).toBe(0);
    expect(gain).toBeGreaterThan(449_900 * 1.25);
  });

  test("is required from the threshold on, inside a turn as well, and below it `window` never asks for it", () => {
    const full = { sizeTokens: 967_000, turn: "open", policy: "window" } as const;
    expect(compactionCandidate({ ...situation, ...full }).admissible).toBe("required");
    const below = compactionCandidate({ ...situation, ...full, sizeTokens: 966_999, turn: "closed" });
    expect(below).toMatchObject({
      admissible: "no",
      because: "966,999 tokens are below the threshold of 967,000",
    });
  });

  test("what pays waits for the end of the turn", () => {
    expect(decided({ sizeTokens: 400_000 })).toBe("take");
    expect(decided({ sizeTokens: 400_000, turn: "open" })).toBe("nothing");
  });

  test("what does not shrink never pays", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 900_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.constantFrom("warm" as const, "cold" as const),
        (sizeTokens, moreTokens, cache) => {
          expect(decided({ sizeTokens, keptTokens: sizeTokens + moreTokens, cache })).toBe("nothing");
        },
      ),
    );
  });

  test("the larger the prompt, the more it pays", () => {
    fc.assert(
      fc.property(fc.integer({ min: 60_000, max: 900_000 }), (sizeTokens) => {
        const net = (size: number): number => {
          const { cost, gain } = compactionCandidate({ ...situation, sizeTokens: size });
          return gain - cost;
        };
        expect(net(sizeTokens + 1_000)).toBeGreaterThan(net(sizeTokens));
      }),
    );
  });
});

/**
 * The recorded sessions as one stream: 1,350 new tokens a request (the mean), every thirtieth request after a pause that the
 * cache did not outlive, and a turn that ends every tenth request.
 */
function costOfSession(requests: number, read: number, more: Partial<CompactionSituation>): number {
  const costs = { ...USUAL_COSTS, read };
  let sizeTokens = HEAD_TOKENS;
  let total = 0;
  for (let request = 1; request <= requests; request++) {
    const cache = request % 30 === 0 ? "cold" : "warm";
    const turn = request % 10 === 0 ? "closed" : "open";
    const next = { ...situation, ...more, costs, sizeTokens, cache, turn } as const;
    const decision = decide([compactionCandidate(next)]);
    let cachedTokens = cache === "warm" ? sizeTokens : 0;
    if (decision.kind === "take") {
      total += sizeTokens * (cache === "warm" ? read : costs.input) + SUMMARY_TOKENS * costs.output;
      cachedTokens = Math.min(cachedTokens, HEAD_TOKENS);
      sizeTokens = situation.keptTokens;
    }
    sizeTokens += 1_350;
    total += cachedTokens * read + (sizeTokens - cachedTokens) * costs.write;
  }
  return total;
}

describe("in a window of 1M tokens", () => {
  const REQUESTS = 220;
  /** Relative to compacting at 167K, as the lab has it. */
  const relative = (read: number, more: Partial<CompactionSituation>): number =>
    costOfSession(REQUESTS, read, more) / costOfSession(REQUESTS, read, { policy: "window", thresholdTokens: 167_000 });
  const at = (thresholdTokens: number, read = 0.1): number => relative(read, { policy: "window", thresholdTokens });

  test("the stream costs what recorded sessions cost: 1.72 times at the window's end, 0.82 times at 100K", () => {
    expect(at(967_000)).toBeGreaterThan(1.6);
    expect(at(967_000)).toBeLessThan(1.9);
    expect(at(100_000)).toBeGreaterThan(0.75);
    expect(at(100_000)).toBeLessThan(0.87);
  });

  test.each([0.1, 0.05, 0.025])(
    "one horizon holds at a read price of %d: as cheap as a threshold chosen for it",
    (read) => {
      const best = Math.min(...[80_000, 100_000, 130_000, 167_000].map((threshold) => at(threshold, read)));
      const economic = relative(read, { horizonRequests: 30 });
      expect(economic).toBeLessThan(0.95);
      expect(economic / best).toBeLessThan(1.08);
    },
  );

  test.each([
    [0.1, 60_000, 100_000],
    [0.05, 75_000, 130_000],
    [0.025, 100_000, 167_000],
  ])("at a read price of %d it begins to pay between %d and %d tokens", (read, fromTokens, toTokens) => {
    const costs = { ...USUAL_COSTS, read };
    // Some of what was forgotten is read again: two files of 2,000 tokens.
    const more = { costs, horizonRequests: 30, expectedRereadTokens: 4_000 };
    expect(decided({ ...more, sizeTokens: fromTokens })).toBe("nothing");
    expect(decided({ ...more, sizeTokens: toTokens })).toBe("take");
  });
});
