import fc from "fast-check";
import { expect, test } from "vitest";
import { frozenCopy } from "./remember.ts";

test("copies any JSON to the same bytes, with any field names", () => {
  const odd = fc.dictionary(fc.oneof(fc.constantFrom("__proto__", "constructor", "0"), fc.string()), fc.jsonValue());
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), odd), (value) => {
      const given = JSON.parse(JSON.stringify(value)) as unknown;
      expect(JSON.stringify(frozenCopy(given))).toBe(JSON.stringify(given));
    }),
  );
});

test("freezes the whole copy and not the original", () => {
  const given = { list: [{ deep: 1 }] };
  const copy = frozenCopy(given);
  expect([copy, copy.list, copy.list[0]].every(Object.isFrozen)).toBe(true);
  expect([given, given.list, given.list[0]].some(Object.isFrozen)).toBe(false);
});
