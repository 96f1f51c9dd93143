import { expect, test } from "vitest";
import { type RoomOptions, type RoomPart, shareRoom } from "./draft.ts";

const PARTS: readonly RoomPart[] = [
  "summary",
  "userMessages",
  "evidence",
  "quotedLines",
  "latestResults",
  "files",
  "skills",
  "surroundings",
];
const atMost = (tokens: number) => Object.fromEntries(PARTS.map((part) => [part, tokens])) as RoomOptions["atMost"];
const SMALL: RoomOptions = { thresholdTokens: 100_000, sizeTokens: 200_000, fixedTokens: 5_000, atMost: atMost(1e9) };
const sumOf = (room: Readonly<Record<RoomPart, number>> | undefined): number =>
  Object.values(room ?? {}).reduce((sum, tokens) => sum + tokens, 0);

test("each part gets its share of what is left below the threshold: the summary most, lines that are quoted least", () => {
  const room = shareRoom(SMALL)!;
  expect(Object.keys(room).toSorted()).toEqual(PARTS.toSorted());
  expect(Object.values(room).every((tokens) => tokens > 0)).toBe(true);
  const bySize = PARTS.toSorted((one, other) => room[other] - room[one]);
  expect(bySize[0]).toBe("summary");
  expect(bySize.at(-1)).toBe("quotedLines");
  // All of 80,000: what is kept free and what is fixed are not shared.
  expect(sumOf(room)).toBeGreaterThan(79_000);
  expect(sumOf(room)).toBeLessThanOrEqual(80_000);
});

test("a result is smaller than the view by a share, however far the threshold is", () => {
  const near = { ...SMALL, sizeTokens: 50_000 };
  expect(sumOf(shareRoom(near))).toBeLessThanOrEqual(35_000);
  expect(sumOf(shareRoom(near))).toBeGreaterThan(34_000);
  expect(sumOf(shareRoom({ ...near, leastShrink: 0.5 }))).toBeLessThanOrEqual(20_000);
});

test("no part has more than its maximum, and whole tokens", () => {
  expect(shareRoom({ ...SMALL, atMost: { ...atMost(1e9), files: 300.7 } })!.files).toBe(300);
  expect(Object.values(shareRoom({ ...SMALL, atMost: atMost(700) })!)).toEqual(PARTS.map(() => 700));
});

test("where what stays takes all of it, there is no room", () => {
  expect(shareRoom({ ...SMALL, fixedTokens: 85_000 })).toBeUndefined();
  expect(shareRoom({ ...SMALL, fixedTokens: 90_000 })).toBeUndefined();
  expect(shareRoom({ ...SMALL, fixedTokens: 84_000 })).toBeDefined();
});
