import { featuresOf } from "palimpsest/inspect";
import { describe, expect, test } from "vitest";
import { AGENT, createWindow, FIXED, type NewItem } from "./window.ts";

const item = (part: string, place: number, words: number, callId?: string): NewItem => ({
  part,
  place,
  features: featuresOf({ kind: "text", text: "word ".repeat(words) }),
  ...(callId === undefined ? {} : { callId }),
});
const sumOf = (parts: ReadonlyMap<string, number>): number =>
  [...parts.values()].reduce((sum, tokens) => sum + tokens, 0);
const rounded = (parts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...parts].map(([name, tokens]) => [name, Math.round(tokens)]));

describe("createWindow", () => {
  test("what the first request had beside its messages stands before them, and stays", () => {
    const window = createWindow();
    window.add(item("user", 1, 100));
    const first = window.settle(20_000, 0);
    expect(first.fixedTokens).toBeGreaterThan(19_700);
    expect(sumOf(first.parts)).toBeCloseTo(20_000);
    window.answer(item("assistant", 2, 50), 60);
    window.add(item("user", 3, 100));
    const second = window.settle(20_160, 1);
    expect(second.fixedTokens).toBe(first.fixedTokens);
    expect(rounded(second.added)).toEqual({ assistant: 60, user: 100 });
  });

  test("what came in is shared by estimates; what is far more than these was not recorded", () => {
    const window = createWindow();
    window.settle(10_000, 0);
    window.add(item("user", 1, 100));
    window.add(item("results of Read", 1, 300));
    const { added } = window.settle(10_400, 1);
    expect(sumOf(added)).toBeCloseTo(400);
    expect(added.get("results of Read")! / added.get("user")!).toBeGreaterThan(2);
    window.add(item("user", 2, 10));
    const untold = window.settle(15_400, 2).added;
    expect(untold.get(AGENT)).toBeGreaterThan(4_800);
  });

  test("a prompt that became shorter without a word gives from all messages", () => {
    const window = createWindow();
    window.settle(10_000, 0);
    window.add(item("user", 1, 4_000));
    window.settle(15_000, 1);
    const { parts, fixedTokens } = window.settle(13_000, 2);
    expect(fixedTokens).toBe(10_000);
    expect(sumOf(parts)).toBeCloseTo(13_000);
  });

  test("windows that become smaller again and again touch no item until it leaves, which has its share then", () => {
    const window = createWindow();
    window.add(item("user", 1, 4_000));
    const [first] = window.settle(15_000, 0).addedItems;
    const tokens = first!.tokens;
    let touched = 0;
    let held = tokens;
    Object.defineProperty(first, "tokens", {
      get() {
        touched++;
        return held;
      },
      set(value: number) {
        touched++;
        held = value;
      },
    });
    const sizes = Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? 14_000 : 15_000));
    for (const [index, size] of sizes.entries()) {
      window.add(item("user", index + 2, 10));
      expect(sumOf(window.settle(size, index + 1).parts)).toBeCloseTo(size);
    }
    expect(touched).toBe(0);
    const { parts, fixedTokens } = window.settle(14_000, sizes.length + 1);
    const items = window.items();
    expect(items).toContain(first);
    expect(items.reduce((sum, one) => sum + one.tokens, fixedTokens)).toBeCloseTo(sumOf(parts));
    expect(held).toBeLessThan(tokens);
  });

  test("what is dropped is gone, what stays keeps its size, and the rest is told by the next response", () => {
    const window = createWindow();
    window.add(item("user", 1, 1_000));
    window.settle(11_000, 0);
    window.answer(item("assistant", 2, 500), 500);
    window.add(item("results of Bash", 3, 2_000, "c1"));
    window.settle(13_600, 1);
    expect(window.drop(({ place }) => place >= 3)).toHaveLength(2);
    window.add(item("summary", 4, 200));
    const { parts } = window.settle(12_400, 2);
    expect(sumOf(parts)).toBeCloseTo(12_400);
    expect([...parts.keys()]).toEqual(expect.arrayContaining([FIXED, "results of Bash", "summary"]));
    expect(parts.has("user")).toBe(false);
    expect(window.drop(() => true)).toEqual([]);
  });

  test("results that are cleared are taken out by their calls", () => {
    const window = createWindow();
    window.add(item("results of Bash", 1, 2_000, "c1"));
    window.settle(13_000, 0);
    expect(window.clear(new Set(["c2"]))).toEqual([]);
    expect(window.clear(new Set(["c1"]))).toHaveLength(1);
    expect(window.items()).toEqual([]);
    expect(rounded(window.settle(11_000, 1).parts)[FIXED]).toBeGreaterThan(10_000);
  });
});
