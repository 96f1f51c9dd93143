import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { findProblems } from "./check.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    lines: { type: "array", items: { type: "integer", minimum: 1 }, maxItems: 2 },
    mode: { enum: ["read", "write"] },
    share: { type: "number", exclusiveMinimum: 0, maximum: 1 },
    at: { anyOf: [{ type: "null" }, { type: "object", properties: { x: { type: "number" } }, required: ["x"] }] },
  },
  required: ["path"],
  additionalProperties: false,
};

test.each([
  [{ path: "a", lines: [1, 2], mode: "read", at: null }, []],
  [{ path: "a", at: { x: 1.5, y: 2 } }, []],
  [{}, ["path is missing"]],
  [[], ["the input must be of type object, not array"]],
  [{ path: 7 }, ["path must be of type string, not number"]],
  [{ path: "" }, ["the length of path must be at least 1, not 0"]],
  [
    { path: "a", lines: [1, 0.5, "2"] },
    [
      "the length of lines must be at most 2, not 3",
      "lines[1] must be of type integer, not number",
      "lines[2] must be of type integer, not string",
    ],
  ],
  [{ path: "a", share: 0.5 }, []],
  [{ path: "a", share: 0 }, ["share must be above 0, not 0"]],
  [{ path: "a", share: 2 }, ["share must be at most 1, not 2"]],
  [{ path: "a", share: Number.NaN }, ["share must be of type number, not NaN"]],
  [{ path: "a", mode: "Read" }, ['mode must be one of "read", "write"']],
  [{ path: "a", at: {} }, ["at fits none of what is allowed: at must be of type null, not object; or at.x is missing"]],
  [{ path: "a", pat: "b" }, ["pat is not known; there is path, lines, mode, share, at"]],
])("%j: %j", (value, problems) => {
  expect(findProblems(schema, value)).toEqual(problems);
});

test("finds a problem only if a full validator finds one", () => {
  const shape = z.object({
    a: z.string().max(3),
    b: z.array(z.number()).optional(),
    c: z.union([z.boolean(), z.null()]),
  });
  const json = z.toJSONSchema(shape, { io: "input" });
  const leaf = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const value = fc.record(
    { a: leaf, b: fc.oneof(leaf, fc.array(leaf, { maxLength: 3 })), c: leaf },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(value, (input) => {
      expect(findProblems(json, input).length === 0).toBe(shape.safeParse(input).success);
    }),
    { numRuns: 500 },
  );
});
