import { expect, test } from "vitest";
import { asCount, asList, asObject, asString, asStrings, present } from "./json-fields.ts";

test.each<[(value: unknown) => unknown, readonly unknown[]]>([
  [asObject, [{ a: 1 }]],
  [asList, [["a", 7]]],
  [asString, ["", "a"]],
  [asCount, [0, 1.5]],
])("%o gives the value if it is one, and nothing otherwise", (as, fitting) => {
  const values = [null, undefined, true, "", "a", 0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, ["a", 7], { a: 1 }];
  expect(values.map(as).filter((value) => value !== undefined)).toEqual(fitting);
});

test("of a list only the texts are kept; what is no list has none", () => {
  expect(asStrings(["a", 7, null, "", ["b"]])).toEqual(["a", ""]);
  expect(asStrings("abc")).toEqual([]);
});

test("fields without a value are left out, others stay, also if they are empty", () => {
  expect(present({ a: undefined, b: false, c: 0, d: "" })).toStrictEqual({ b: false, c: 0, d: "" });
});
