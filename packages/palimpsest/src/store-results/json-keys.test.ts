import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonKeys, looksLikeJson } from "./preview.ts";

test("the keys of the outermost object are found, also in a list and in a text that was cut", () => {
  expect(jsonKeys('{"a":{"b":1},"c\\"d":[{"e":2}],"f":"x: {"}')).toEqual(["a", 'c\\"d', "f"]);
  expect(jsonKeys(' [\n{"id": 1, "name": "n"}, {"other": 1}]')).toEqual(["id", "name"]);
  expect(jsonKeys('{"a":"unfin')).toEqual(["a"]);
  expect(jsonKeys("[1, 2]")).toEqual([]);
  expect(jsonKeys('log: {"a":1}')).toEqual([]);
});

test("any object's keys are found, in order", () => {
  const key = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 8 }), (value) => {
      expect(jsonKeys(JSON.stringify(value))).toEqual(Object.keys(value));
    }),
  );
});

test("of many and long keys, the first twenty are told, each by its beginning", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}${"x".repeat(60)}`, index]));
  const keys = jsonKeys(JSON.stringify(many));
  expect(keys).toEqual(
    Object.keys(many)
      .slice(0, 20)
      .map((key) => key.slice(0, 40)),
  );
});

test("by its ends, JSON is told from what is none", () => {
  expect(looksLikeJson({ head: ' {"a"', tail: "1}\n" })).toBe(true);
  expect(looksLikeJson({ head: "{ echo", tail: "done" })).toBe(false);
  expect(looksLikeJson({ head: "", tail: "" })).toBe(false);
});
