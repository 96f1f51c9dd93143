import { expect, expectTypeOf, test } from "vitest";
import { choice, flag, type Infer, integer, list, object, optional, text } from "./schema.ts";
import { readInput, tool } from "./tool.ts";

const schema = object({
  path: text("Where."),
  limit: optional(integer("How many.", { minimum: 1 })),
  all: optional(flag("All.")),
  mode: optional(choice(["one", "two"], "How.")),
  items: optional(list(object({ name: text("Its name.") }), "What.")),
});

const read = tool({ name: "read", description: "Reads.", inputSchema: schema, execute: ({ path }) => path });

test("a schema is a JSON Schema", () => {
  expect(schema).toEqual({
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

test("a schema gives the type of its values", () => {
  expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{
    readonly path: string;
    readonly limit?: number;
    readonly all?: boolean;
    readonly mode?: "one" | "two";
    readonly items?: readonly { readonly name: string }[];
  }>();
});

test("accepts numbers and booleans as strings, and null for a field that may be left out", async () => {
  const written = { path: "a", limit: " 5", all: "true", mode: null, items: [{ name: "b" }] };
  const value = { path: "a", limit: 5, all: true, items: [{ name: "b" }] };
  expect(await readInput(read, written)).toEqual({ kind: "valid", value });
});

test("leaves a value that fits as it is", async () => {
  const inputSchema = { type: "object", properties: { id: { type: ["string", "integer"] }, mark: { type: ["null"] } } };
  const input = { id: "5", mark: null };
  expect(await readInput({ ...read, inputSchema }, input)).toEqual({ kind: "valid", value: input });
});

test.each([
  [{}, "path is missing"],
  [{ path: 5 }, "path must be of type string, not number"],
  [{ path: null }, "path must be of type string, not null"],
  [{ path: "a", limit: 0 }, "limit must be at least 1, not 0"],
  [{ path: "a", limit: "1.5" }, "limit must be of type integer, not string"],
  [{ path: "a", mode: "three" }, 'mode must be one of "one", "two"'],
  [{ path: "a", items: [{}] }, "items[0].name is missing"],
  [{ path: "a", other: 1 }, "other is not known; there is path, limit, all, mode, items"],
  ["a", "the input is no valid JSON"],
  [["a"], "the input must be of type object, not array"],
  [JSON.parse('{"__proto__": {"path": "a"}}'), "path is missing"],
])("%j is refused", async (input, problem) => {
  expect(await readInput(read, input)).toMatchObject({
    kind: "invalid",
    problems: expect.arrayContaining([problem]),
  });
});
