import { expect, test } from "vitest";
import { findDrop, isExpected, nameCauses } from "./misses.ts";

const left = (cacheReadTokens: number, cacheWriteTokens = 0) => ({ cacheReadTokens, cacheWriteTokens });
const FIVE_MINUTES_MS = 300_000;

test.each<[string, ReturnType<typeof left>, number, number | undefined]>([
  ["nothing lost", left(50_000), 50_000, undefined],
  ["more than before", left(50_000), 60_000, undefined],
  ["2,000 tokens", left(10_000), 8_000, undefined],
  ["more than 2,000 tokens", left(10_000), 7_999, 2_001],
  ["5% of much", left(100_000), 95_000, undefined],
  ["more than 5% of much", left(100_000), 94_999, 5_001],
  ["what was only written before", left(0, 50_000), 0, 50_000],
  ["nothing there to lose", left(0), 0, undefined],
])("%s", (_, before, cacheReadTokens, dropped) => {
  expect(findDrop(before, { cacheReadTokens })).toBe(dropped);
});

test("causes are named in the order in which they move the prompt; messages by their place", () => {
  const changes = [
    { cause: "replace", from: 40 },
    { cause: "images" },
    { cause: "rewind", from: 12 },
    { cause: "tools" },
  ] as const;
  const named = nameCauses({ changes, pauseMs: FIVE_MINUTES_MS, lifetimeMs: FIVE_MINUTES_MS });
  expect(named).toEqual(["pause", "tools", "images", "rewind", "replace"]);
  const inMessages = [
    { cause: "restore", from: 12 },
    { cause: "replace", from: 9 },
    { cause: "rewind", from: 12 },
  ] as const;
  expect(nameCauses({ changes: inMessages, lifetimeMs: FIVE_MINUTES_MS })).toEqual(["replace", "rewind", "restore"]);
});

test("a pause counts from the lifetime on, and with nothing else it was the server", () => {
  const after = (pauseMs?: number) =>
    nameCauses({ changes: [], lifetimeMs: FIVE_MINUTES_MS, ...(pauseMs === undefined ? {} : { pauseMs }) });
  expect(after(FIVE_MINUTES_MS)).toEqual(["pause"]);
  expect(after(FIVE_MINUTES_MS - 1)).toEqual(["server"]);
  expect(after()).toEqual(["server"]);
});

test("what was decided is expected; a pause or the server is not, whatever was decided beside it", () => {
  expect(isExpected(["model", "replace"])).toBe(true);
  expect(isExpected(["pause", "replace"])).toBe(false);
  expect(isExpected(["server"])).toBe(false);
});
