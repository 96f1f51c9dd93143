import { expect, test } from "vitest";
import { asCount, asList, asObject, asString, asStrings, isJson, present } from "./json-fields.ts";

test.each<[(value: unknown) => unknown, readonly unknown[]]>([
  [asObject, [{ a: 1 }]],
  [asList, [["a", 7]]],
  [asString, ["", "a"]],
  [asCount, [0, 1.5]],
])("%o returns the value if its type matches, and undefined otherwise", (as, fitting) => {
  const values = [null, undefined, true, "", "a", 0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, ["a", 7], { a: 1 }];
  expect(values.map(as).filter((value) => value !== undefined)).toEqual(fitting);
});

test("keeps only the strings of a list, and returns none for other values", () => {
  expect(asStrings(["a", 7, null, "", ["b"]])).toEqual(["a", ""]);
  expect(asStrings("abc")).toEqual([]);
});

test("removes undefined fields, and keeps empty ones", () => {
  expect(present({ a: undefined, b: false, c: 0, d: "" })).toStrictEqual({ b: false, c: 0, d: "" });
});

test("isJson is true for values that JSON keeps as they are", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  for (const value of [null, "", 0, false, [], [{ a: [1, "b", null] }]]) expect(isJson(value)).toBe(true);
  for (const value of [undefined, Number.NaN, 1n, () => 1, new Date(0), [undefined], { a: undefined }, cyclic])
    expect(isJson(value)).toBe(false);
});
