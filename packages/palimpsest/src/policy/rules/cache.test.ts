import { expect, test } from "vitest";
import { stateOf, TEST_MODELS } from "../testing.ts";
import { fixedLifetimes, headByPauses } from "./cache.ts";
import { keepWarm } from "./keep-warm.ts";

const state = stateOf({ tokens: 50_000 });
const plain = stateOf({ tokens: 50_000, model: TEST_MODELS.plain });

test("headByPauses chooses an hour for the head once it would have saved money", () => {
  const rule = headByPauses();
  expect(rule.head(state, { middle: 0, long: 0 })).toBe("5m");
  expect(rule.head(state, { middle: 1, long: 0 })).toBe("1h");
  // Each long pause would have written the head for an hour in vain.
  expect(rule.head(state, { middle: 1, long: 1 })).toBe("5m");
  expect(rule.head(state, { middle: 2, long: 1 })).toBe("1h");
  expect(rule.conversation(state, { middle: 9, long: 0 })).toBe("5m");
  expect(rule.head(plain, { middle: 9, long: 0 })).toBe("5m");
});

test("fixedLifetimes chooses its lifetimes where the provider offers them", () => {
  const rule = fixedLifetimes("1h", "5m");
  expect([rule.head(state, { middle: 0, long: 0 }), rule.conversation(state, { middle: 0, long: 0 })]).toEqual([
    "1h",
    "5m",
  ]);
  expect(fixedLifetimes("1h", "1h").conversation(plain, { middle: 0, long: 0 })).toBe("5m");
});

test("both rules pass the rule for pings on, and name its numbers for the log", () => {
  const pings = keepWarm();
  for (const rule of [headByPauses({ keepWarm: pings }), fixedLifetimes("1h", "5m", { keepWarm: pings })]) {
    expect(rule.keepWarm).toBe(pings);
    const params = { whileToolRuns: 11, whileWaiting: 2, capUsd: 0.5 };
    expect(rule.params).toMatchObject({ keepWarm: { name: "keep-warm", params } });
  }
  expect(headByPauses()).toMatchObject({ params: { keepWarm: "off" } });
});
