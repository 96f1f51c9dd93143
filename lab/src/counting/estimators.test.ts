import { expect, test } from "vitest";
import { bytesWithJsonApart, CalibratedEstimator, PlainEstimator, quarterOfCharacters } from "./estimators.ts";
import type { Growth } from "./growths.ts";

const growth: Growth = {
  contextTokensBefore: 1_000,
  contextTokens: 2_000,
  outputTokens: 50,
  response: [{ kind: "text", text: "x".repeat(400) }],
  added: [{ kind: "tool_result", callId: "1", content: "é".repeat(200), status: "ok" }],
  leftOut: undefined,
};

test("the anchor has the response's own count, or its blocks are estimated", () => {
  const estimator = new PlainEstimator(quarterOfCharacters, 1);
  expect(estimator.predict(growth)).toBe(1_000 + 50 + 50);
  expect(estimator.predict({ ...growth, outputTokens: undefined })).toBe(1_000 + 100 + 50);
});

test("the rule of thumb with JSON counts bytes, and a call twice", () => {
  const call = { kind: "tool_call", id: "1", name: "ab", input: { c: 1 } } as const;
  expect(bytesWithJsonApart(growth.added[0]!)).toBe(100);
  expect(bytesWithJsonApart(call)).toBe('ab{"c":1}'.length / 2);
  expect(quarterOfCharacters(call)).toBe('ab{"c":1}'.length / 4);
});

test("the engine's estimator learns, unless it is not to", () => {
  const [learning, unlearned] = [new CalibratedEstimator("estimate"), new CalibratedEstimator("unlearned")];
  const first = learning.predict(growth);
  expect(unlearned.predict(growth)).toBe(first);
  learning.observe(growth);
  unlearned.observe(growth);
  expect(learning.predict(growth)).toBeGreaterThan(first);
  expect(unlearned.predict(growth)).toBe(first);
});
