import { describe, expect, test } from "vitest";
import { shareCost } from "./share-cost.ts";
import type { Settled } from "./window.ts";

const RATES = { read: 1, unread: 10, output: 50 };
const settled = (parts: Record<string, number>, added: Record<string, number>): Settled => ({
  parts: new Map(Object.entries(parts)),
  added: new Map(Object.entries(added)),
  addedItems: [],
  fixedTokens: parts["fixed"] ?? 0,
});

describe("shareCost", () => {
  test("warm: what is new was written, all else was read", () => {
    const shared = shareCost(settled({ fixed: 100, user: 50, calls: 20 }, { calls: 20 }), 150, RATES);
    expect(Object.fromEntries(shared.parts)).toEqual({ fixed: 100, user: 50, calls: 200 });
    expect(shared).toMatchObject({ newRate: 10, carriedRate: 1 });
  });

  test("cold: everything is paid for in full", () => {
    const { parts } = shareCost(settled({ fixed: 100, user: 50 }, {}), 0, RATES);
    expect(Object.fromEntries(parts)).toEqual({ fixed: 1_000, user: 500 });
  });

  test("the cache is read from the front: behind a break in the conversation, each part has its share", () => {
    const { parts } = shareCost(settled({ fixed: 100, user: 60, results: 40 }, {}), 150, RATES);
    expect(Object.fromEntries(parts)).toEqual({ fixed: 100, user: 30 * 1 + 30 * 10, results: 20 * 1 + 20 * 10 });
  });

  test("it adds up to what the request cost", () => {
    for (const read of [0, 30, 100, 130, 200]) {
      const { parts } = shareCost(settled({ fixed: 100, user: 60, results: 40 }, { results: 25 }), read, RATES);
      const sum = [...parts.values()].reduce((total, usd) => total + usd, 0);
      expect(sum).toBeCloseTo(read * 1 + (200 - read) * 10);
    }
  });
});
