import { expect, test } from "vitest";
import { windowOf } from "./window.ts";

const all = {
  model: "large[1m]",
  capabilityTokens: 400_000,
  betas: ["context-1m-2025-08-07"],
  environment: { PALIMPSEST_WINDOW_TOKENS: "32768" },
};

test("the first source that knows decides", () => {
  expect(windowOf(all)).toBe(1_000_000);
  expect(windowOf({ ...all, model: "large" })).toBe(400_000);
  expect(windowOf({ model: "large", betas: all.betas, environment: all.environment })).toBe(1_000_000);
  expect(windowOf({ model: "large", environment: all.environment })).toBe(32_768);
  expect(windowOf({ model: "large" })).toBe(200_000);
});

test.each([0, -1, 1.5, Number.NaN, undefined])("a capability of %s is none", (capabilityTokens) => {
  expect(windowOf({ model: "large", capabilityTokens })).toBe(200_000);
});

test.each(["", "many", "0", "-5"])("an override of %j is none", (value) => {
  expect(windowOf({ model: "large", environment: { PALIMPSEST_WINDOW_TOKENS: value } })).toBe(200_000);
});

test("another beta does not make the window long", () => {
  expect(windowOf({ model: "large", betas: ["context-management-2025-06-27", "context-1month"] })).toBe(200_000);
});
