import fc from "fast-check";
import { expect, test } from "vitest";
import { findLoneSurrogate, isWellFormed } from "./well-formed.ts";

test.each([
  ["a pair", JSON.stringify({ text: "😀" }), undefined],
  ["an escaped pair", '{"text":"\\ud83d\\ude00"}', undefined],
  ["a high half at the end", '{"text":"a\\ud83d"}', { index: 10, half: "high" }],
  ["a high half before another escape", '{"text":"\\ud83d\\n"}', { index: 9, half: "high" }],
  ["a high half away from its low half", '{"text":"\\ud83dx\\ude00"}', { index: 9, half: "high" }],
  ["a low half alone", '{"text":"\\ude00"}', { index: 9, half: "low" }],
  ["a backslash that only looks like one", '{"text":"\\\\ud83d"}', undefined],
])("finds %s", (_, json, expected) => {
  expect(findLoneSurrogate(json)).toEqual(expected);
});

test("the two ways of looking agree on any JSON value", () => {
  const strings = fc.string({ unit: fc.constantFrom("a", "\\", "u", '"', "\ud83d", "\ude00", "d83d") });
  fc.assert(
    fc.property(fc.object({ key: strings, values: [strings] }), (value) => {
      expect(findLoneSurrogate(JSON.stringify(value)) === undefined).toBe(isWellFormed(value));
    }),
    { numRuns: 1_000 },
  );
});
