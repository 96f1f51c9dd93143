import { expect, test } from "vitest";
import { windowOf } from "./window.ts";

const fallbackTokens = 32_768;
const all = {
  model: "large[1m]",
  capabilityTokens: 400_000,
  betas: ["context-1m-2025-08-07"],
  fallbackTokens,
};

test("the first source that knows decides", () => {
  expect(windowOf(all)).toBe(1_000_000);
  expect(windowOf({ ...all, model: "large" })).toBe(400_000);
  expect(windowOf({ model: "large", betas: all.betas, fallbackTokens })).toBe(1_000_000);
  expect(windowOf({ model: "large", fallbackTokens })).toBe(32_768);
});

test.each([0, -1, 1.5, Number.NaN, undefined])("a capability of %s is none", (capabilityTokens) => {
  expect(windowOf({ model: "large", capabilityTokens, fallbackTokens })).toBe(32_768);
});

test("another beta does not make the window long", () => {
  const betas = ["context-management-2025-06-27", "context-1month"];
  expect(windowOf({ model: "large", betas, fallbackTokens })).toBe(32_768);
});
