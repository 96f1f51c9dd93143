import { expect, it } from "vitest";
import { isStrictJson } from "./json.ts";

it("finds half of a surrogate pair wherever it hides", () => {
  const half = "😀".slice(0, 1);
  expect(isStrictJson({ a: ["fine 😀", { b: 1 }] })).toBe(true);
  expect(isStrictJson({ a: [{ b: `cut ${half}` }] })).toBe(false);
  expect(isStrictJson({ [half]: 1 })).toBe(false);
});

it("gives up on nesting that no request has", () => {
  let nested: unknown = "deep";
  for (let depth = 0; depth < 10_000; depth++) nested = [nested];
  expect(isStrictJson(nested)).toBe(false);
});
