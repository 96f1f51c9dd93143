import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { definitionOf, readInput, tool } from "./tool.ts";

const read = tool({
  name: "read",
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string(), lines: z.coerce.number().default(10) }),
  execute(input) {
    expectTypeOf(input).toEqualTypeOf<{ path: string; lines: number }>();
    return input.path;
  },
});

test("converts a library's schema to the JSON Schema of its input", () => {
  const { inputSchema, ...rest } = definitionOf(read);
  expect(rest).toEqual({ name: "read", description: "Reads a file." });
  expect(inputSchema).toMatchObject({ type: "object", required: ["path"], properties: { path: { type: "string" } } });
  expect(inputSchema).not.toHaveProperty("$schema");
});

test("gives the tool the converted input, or the model the problems", async () => {
  expect(await readInput(read, { path: "a" })).toEqual({ kind: "valid", value: { path: "a", lines: 10 } });
  expect(await readInput(read, {})).toMatchObject({ kind: "invalid", problems: [expect.stringMatching(/^path: /)] });
  expect(await readInput(read, '{"path')).toEqual({ kind: "invalid", problems: ["the input is no valid JSON"] });
});

test("refuses a schema without a JSON Schema form", () => {
  const input = { "~standard": { version: 1, validate: () => ({ value: {} }) } } as never;
  expect(() => definitionOf({ ...read, inputSchema: input })).toThrow(/inputSchema of tool read.*zod from 4\.2/);
});
