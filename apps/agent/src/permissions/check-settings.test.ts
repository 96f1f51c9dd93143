import { expect, test } from "vitest";
import { checkSettings } from "./settings.ts";
import type { SettingsSchema } from "./settings-schema.ts";

const WORD: SettingsSchema = { type: "string", enum: ["allow", "deny"] };
const SHARE: SettingsSchema = { type: "number", exclusiveMinimum: 0, maximum: 10 };
const NAMED: SettingsSchema = {
  type: "object",
  properties: { mode: WORD, share: SHARE },
  required: ["mode"],
  additionalProperties: false,
};

test.each<[unknown, SettingsSchema, readonly RegExp[]]>([
  [10, SHARE, []],
  [0.1, SHARE, []],
  [0, SHARE, [/^it is above 0 and at most 10, not 0$/]],
  [10.1, SHARE, [/not 10\.1$/]],
  [-5, { type: "number" }, []],
  ["deny", WORD, []],
  ["dney", WORD, [/"dney".*allow, deny\. Did you mean deny\?$/]],
  ["nothing like it", WORD, [/allow, deny\.$/]],
  [null, { type: "object" }, [/an object, not null$/]],
  [[], { type: "object" }, [/an object, not \[\]$/]],
  [{}, { type: "array" }, [/a list, not \{\}$/]],
  [1, { type: "string" }, [/a text, not 1$/]],
  ["1", { type: "number" }, [/a number, not "1"$/]],
  [true, {}, []],
  [null, {}, []],
])("%j as %j", (value, schema, said) => {
  const lines = checkSettings(value, schema);
  expect(lines).toEqual(said.map((one) => expect.stringMatching(one)));
});

test("it is said where something is wrong, each thing once", () => {
  const list = (minItems?: number): SettingsSchema => ({
    type: "array",
    items: SHARE,
    ...(minItems === undefined ? {} : { minItems }),
  });
  const inside = (schema: SettingsSchema): SettingsSchema => ({ type: "object", properties: { a: schema } });
  const placesOf = (value: unknown, schema: SettingsSchema) =>
    checkSettings(value, schema).map((line) => line.slice(0, line.indexOf(": ")));
  expect(placesOf({ a: [5, 11, "x", 0] }, inside(list()))).toEqual(["a[1]", "a[2]", "a[3]"]);
  expect(placesOf({ a: [] }, inside(list(1)))).toEqual(["a"]);
  expect(placesOf({ a: [5] }, inside(list(1)))).toEqual([]);
  expect(placesOf({ a: [] }, inside(list()))).toEqual([]);
  expect(placesOf({ a: ["x"] }, inside({ type: "array" }))).toEqual([]);
  expect(placesOf({ a: { mode: "deny", share: 11, more: 1 } }, inside(NAMED))).toEqual(["a.share", "a.more"]);
  expect(placesOf({ a: { share: 11 } }, inside(NAMED))).toEqual(["a", "a.share"]);
  expect(placesOf({ b: "x", c: 5 }, { type: "object", additionalProperties: SHARE })).toEqual(["b"]);
  expect(placesOf({ b: "x" }, { type: "object" })).toEqual([]);
});

test("a field that is missing or unknown is named, with the one that may have been meant", () => {
  expect(checkSettings({ a: {} }, { properties: { a: NAMED } })).toEqual([expect.stringMatching(/^a: .*\bmode$/)]);
  expect(checkSettings({ mode: "deny", shore: 1 }, NAMED)).toEqual([
    expect.stringMatching(/^shore: .* Did you mean share\?$/),
  ]);
  expect(checkSettings({ mode: "deny", elsewhere: 1 }, NAMED)).toEqual([expect.not.stringContaining("Did you mean")]);
  // A name that every object has is none of the settings.
  expect(checkSettings({ mode: "deny", constructor: 1 }, NAMED)).toHaveLength(1);
});

test("of several forms, the one that the value comes nearest to says what is wrong", () => {
  const two: SettingsSchema = {
    anyOf: [
      { type: "object", properties: { x: SHARE, y: SHARE }, required: ["x", "y"] },
      { type: "object", required: ["z"] },
    ],
  };
  expect(checkSettings({ x: 11 }, two)).toEqual([expect.stringMatching(/\bz$/)]);
  expect(checkSettings({ z: 1 }, two)).toEqual([]);
  expect(checkSettings({ x: 1, y: 1 }, two)).toEqual([]);
  expect(checkSettings({ x: 1, y: 11 }, { anyOf: [{ type: "array", minItems: 1 }, two.anyOf![0]!] })).toHaveLength(1);
});

test("of a long value the beginning is shown", () => {
  const shown = (length: number) => checkSettings("x".repeat(length), { type: "number" })[0]!;
  // Two quotes stand around it.
  expect(shown(58)).toMatch(/not "x{58}"$/);
  expect(shown(59)).toMatch(/not "x{59}…$/);
});
