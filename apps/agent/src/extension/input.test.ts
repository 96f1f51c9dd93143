import { expect, test } from "vitest";
import { choice, flag, integer, list, optional, text, toJsonSchema, toValues } from "./tool.ts";

const shape = {
  path: text("Where."),
  limit: optional(integer("How many.", 1)),
  all: optional(flag("All.")),
  mode: optional(choice("How.", ["one", "two"])),
  items: optional(list("What.", { name: text("Its name.") })),
};

test("toJsonSchema converts a shape to a JSON Schema", () => {
  expect(toJsonSchema(shape)).toEqual({
    type: "object",
    properties: {
      path: { type: "string", description: "Where." },
      limit: { type: "integer", minimum: 1, description: "How many." },
      all: { type: "boolean", description: "All." },
      mode: { type: "string", enum: ["one", "two"], description: "How." },
      items: {
        type: "array",
        description: "What.",
        items: {
          type: "object",
          properties: { name: { type: "string", description: "Its name." } },
          required: ["name"],
          additionalProperties: false,
        },
      },
    },
    required: ["path"],
    additionalProperties: false,
  });
});

test("toValues accepts the spellings that models use", () => {
  expect(toValues(shape, { path: "a", limit: "5", all: "true", mode: null, items: [{ name: "b" }], other: 1 })).toEqual(
    {
      path: "a",
      limit: 5,
      all: true,
      mode: undefined,
      items: [{ name: "b" }],
    },
  );
});

test.each([
  [{}, "path is missing."],
  [{ path: 5 }, "path must be a string, not number."],
  [{ path: "a", limit: 0 }, "limit must be a whole number from 1 on, not 0."],
  [{ path: "a", limit: 1.5 }, "limit must be a whole number from 1 on, not 1.5."],
  [{ path: "a", mode: "three" }, 'mode must be one of one, two, not "three".'],
  [{ path: "a", items: [{}] }, "items[0].name is missing."],
  ["a", "the input must be an object, not string."],
  [JSON.parse('{"__proto__": {"path": "a"}}'), "path is missing."],
])("toValues rejects %j", (input, message) => {
  expect(() => toValues(shape, input)).toThrow(message);
});
