import fc from "fast-check";
import { expect, test } from "vitest";
import { roomOf, shareRoom, type Wish } from "./render.ts";

const wish = (fullTokens: number, maxTokens: number, share: number, minTokens = 0, floor = false): Wish => ({
  budget: { maxTokens, share, minTokens },
  fullTokens,
  floor,
});
const sumOf = (tokens: readonly number[]): number => tokens.reduce((sum, one) => sum + one, 0);

test("parts get their minimum, then their share, then what the others leave, in the order of the list", () => {
  const wishes = [wish(0, 5_000, 0.5), wish(9_000, 8_000, 0.2), wish(5_000, 5_000, 0.3)];
  expect(shareRoom(wishes, 10_000)).toEqual({ granted: [0, 7_000, 3_000], fits: "all" });
  const withMinimum = [wish(3_000, 3_000, 0, 2_000), wish(9_000, 9_000, 1)];
  expect(shareRoom(withMinimum, 4_000).granted).toEqual([2_000, 2_000]);
});

test("only the floor is shown if the minimums do not fit, and in equal shares if the floor does not fit", () => {
  const wishes = [wish(1_000, 1_000, 0, 1_000, true), wish(500, 500, 0, 500, true), wish(900, 900, 0, 900)];
  expect(shareRoom(wishes, 2_000)).toEqual({ granted: [1_000, 500, 0], fits: "floor" });
  expect(shareRoom(wishes, 1_200)).toEqual({ granted: [700, 500, 0], fits: "cut" });
  expect(shareRoom(wishes, 0).granted).toEqual([0, 0, 0]);
});

const anyWish = fc
  .record({
    fullTokens: fc.nat(50_000),
    maxTokens: fc.nat(50_000),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    minTokens: fc.nat(5_000),
    floor: fc.boolean(),
  })
  .map(({ fullTokens, maxTokens, share, minTokens, floor }) => wish(fullTokens, maxTokens, share, minTokens, floor));

test("parts never get more than the room, their maximum or their content, and the floor comes first", () => {
  fc.assert(
    fc.property(fc.array(anyWish, { maxLength: 12 }), fc.nat(60_000), (wishes, roomTokens) => {
      const { granted, fits } = shareRoom(wishes, roomTokens);
      expect(sumOf(granted)).toBeLessThanOrEqual(roomTokens);
      for (const [index, { budget, fullTokens, floor }] of wishes.entries()) {
        const most = Math.min(budget.maxTokens, fullTokens);
        expect(granted[index]).toBeLessThanOrEqual(most);
        const least = Math.min(budget.minTokens!, most);
        if (fits === "all" || (fits === "floor" && floor)) expect(granted[index]).toBeGreaterThanOrEqual(least);
        if (fits !== "all" && !floor) expect(granted[index]).toBe(0);
      }
    }),
  );
});

test("an empty part costs the others nothing", () => {
  fc.assert(
    fc.property(fc.array(anyWish, { maxLength: 8 }), anyWish, fc.nat(60_000), (wishes, empty, roomTokens) => {
      const without = shareRoom(wishes, roomTokens);
      const withEmpty = shareRoom([...wishes, { ...empty, fullTokens: 0 }], roomTokens);
      expect(withEmpty.granted.slice(0, -1)).toEqual(without.granted);
      expect(withEmpty.granted.at(-1)).toBe(0);
    }),
  );
});

test("a text is cut at lines with a mark that says how to read the rest, or left out if next to nothing fits", () => {
  const count = (text: string): number => Math.ceil(text.length / 4);
  const room = roomOf(1_000, count, { shown: "", summary: undefined });
  const text = Array.from({ length: 900 }, (_, index) => `Step ${index + 1} of the plan`).join("\n");
  const cut = room.cut(text, 500, "read plan.md")!;
  expect(count(cut)).toBeLessThanOrEqual(500);
  expect(cut).toMatch(
    /^Step 1 of the plan\n.*\[\d+ characters more are left out here: read plan\.md\]\n.*Step 900 of the plan$/s,
  );
  expect(room.cut("short", 500, "x")).toBe("short");
  expect(room.cut(text, 99, "x")).toBeUndefined();
});
