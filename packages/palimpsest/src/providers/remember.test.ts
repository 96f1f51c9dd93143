import fc from "fast-check";
import { expect, test } from "vitest";
import { frozenCopy } from "./remember.ts";

test("any JSON is copied to the same bytes, whatever its fields are called", () => {
  const odd = fc.dictionary(fc.oneof(fc.constantFrom("__proto__", "constructor", "0"), fc.string()), fc.jsonValue());
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), odd), (value) => {
      const given = JSON.parse(JSON.stringify(value)) as unknown;
      expect(JSON.stringify(frozenCopy(given))).toBe(JSON.stringify(given));
    }),
  );
});

test("the copy is frozen all the way down, and the original is not", () => {
  const given = { list: [{ deep: 1 }] };
  const copy = frozenCopy(given);
  expect([copy, copy.list, copy.list[0]].every(Object.isFrozen)).toBe(true);
  expect([given, given.list, given.list[0]].some(Object.isFrozen)).toBe(false);
});
