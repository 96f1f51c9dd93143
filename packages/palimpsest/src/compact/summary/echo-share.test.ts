import { expect, test } from "vitest";
import { echoShare } from "./check.ts";

const words = (count: number, prefix: string): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`).join(" ");

test("how much of a text was copied", () => {
  const source = words(20_000, "word");
  expect(echoShare(source, source)).toBe(1);
  expect(echoShare(words(500, "other"), source)).toBe(0);
  expect(echoShare(`${words(508, "word")} ${words(500, "other")}`, source)).toBeCloseTo(0.5, 1);
});

test("case, line ends and punctuation play no part; short texts are never copies", () => {
  expect(
    echoShare("One, two; THREE\nfour five: six seven eight nine!", "one two three four five six seven eight nine"),
  ).toBe(1);
  expect(echoShare("one two three", "one two three")).toBe(0);
  expect(echoShare("", "one")).toBe(0);
});

test("repeating one copied run counts each time", () => {
  const run = words(8, "w");
  expect(echoShare(`${run} ${run}`, run)).toBeCloseTo(2 / 9, 5);
});
