import fc from "fast-check";
import { expect, test } from "vitest";
import { findLoneSurrogate, isStrictJson, MAXIMUM_DEPTH, readStrictly } from "./well-formed.ts";

const half = "😀".slice(0, 1);
const nested = (levels: number): unknown => {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
};

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

test("finds half of a surrogate pair wherever it hides", () => {
  expect(isStrictJson({ a: ["fine 😀", { b: 1 }] })).toBe(true);
  expect(isStrictJson({ a: [{ b: `cut ${half}` }] })).toBe(false);
  expect(isStrictJson({ [half]: 1 })).toBe(false);
});

test("follows nesting as far as a parser would, and no further", () => {
  expect(MAXIMUM_DEPTH).toBe(1_024);
  expect(isStrictJson(nested(1_024))).toBe(true);
  expect(readStrictly(nested(1_025)).flaw).toBe("too-deep");
  expect(readStrictly(nested(1_024), 1).flaw).toBe("too-deep");
  expect(isStrictJson(nested(100_000))).toBe(false);
  const circular: unknown[] = [];
  circular.push(circular);
  expect(isStrictJson(circular)).toBe(false);
});

test("the two ways of looking agree on any JSON value", () => {
  const strings = fc.string({ unit: fc.constantFrom("a", "\\", "u", '"', "\ud83d", "\ude00", "d83d") });
  fc.assert(
    fc.property(fc.object({ key: strings, values: [strings] }), (value) => {
      expect(findLoneSurrogate(JSON.stringify(value)) === undefined).toBe(isStrictJson(value));
    }),
    { numRuns: 1_000 },
  );
});

test("no JSON text is larger than six times what was read of its value, and text is not far from it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(readStrictly(value).size * 6);
    }),
    { numRuns: 1_000, examples: [[[-Math.PI * 1e-300]], ["\u0001"], [[[], {}, null, false, "", -5e-324]]] },
  );
  expect(readStrictly("a".repeat(1_000)).size).toBeLessThan(1_010);
});
