import { expect, test } from "vitest";
import { storeBySize, storeNothing } from "./store.ts";

test("storeBySize stores long results, except those that their tool limits itself", () => {
  const rule = storeBySize();
  expect(rule.thresholdOf({ name: "Bash", bounded: false })).toBe(50_000);
  expect(rule.thresholdOf({ name: "Read", bounded: true })).toBe("never");
  expect([rule.roundCharacters, rule.userMessageCharacters]).toEqual([200_000, 100_000]);
});

test("storeBySize has thresholds for single tools, also for those that limit their results", () => {
  const rule = storeBySize({ thresholdCharacters: 20_000, byTool: { Read: 5_000, Agent: "never" } });
  expect(rule.thresholdOf({ name: "Read", bounded: true })).toBe(5_000);
  expect(rule.thresholdOf({ name: "Agent", bounded: false })).toBe("never");
  expect(rule.thresholdOf({ name: "constructor", bounded: false })).toBe(20_000);
  expect(rule.params).toMatchObject({ thresholdCharacters: 20_000, byTool: { Read: 5_000 } });
});

test("storeNothing leaves everything in the conversation", () => {
  expect(storeNothing().thresholdOf({ name: "Bash", bounded: false })).toBe("never");
});
