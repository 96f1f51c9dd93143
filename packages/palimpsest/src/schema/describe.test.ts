import { expect, test } from "vitest";
import { describeSchema } from "./describe.ts";
import { choice, flag, integer, list, number, object, record, text, union } from "./schema.ts";

test.each([
  [text(), "a text"],
  [flag(), "true or false"],
  [integer(), "a whole number"],
  [integer("", { minimum: 1 }), "a whole number, at least 1"],
  [integer("", { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), "a whole number, at least 1"],
  [number("", { exclusiveMinimum: 0, maximum: 100 }), "a number, above 0 and at most 100"],
  [choice(["on", "off"]), 'one of "on", "off"'],
  [list(text()), "a list; each of its items must be a text"],
  [record(integer("", { minimum: 0 })), "an object with a whole number, at least 0, for each name"],
  [object({ path: text(), limit: integer() }), "an object with path, limit"],
  [union([text(), integer()]), "a text, or a whole number"],
  [{ type: "array" }, "a list"],
  [{ type: "object" }, "an object"],
  [{ const: 1 }, 'a value of the schema {"const":1}'],
])("%j accepts %s", (schema, words) => {
  expect(describeSchema(schema)).toBe(words);
});
