import fc from "fast-check";
import { expect, test } from "vitest";
import { groupCalls } from "./calls.ts";

const TOOLS = new Map([
  ["read", { concurrency: "safe" }],
  ["write", { concurrency: "alone" }],
] as const);

test("keeps the order of calls, and groups at most ten safe ones", () => {
  const names = fc.array(fc.constantFrom("read", "write", "unknown"), { maxLength: 40 });
  fc.assert(
    fc.property(names, (list) => {
      const calls = list.map((name, index) => ({ call: { name }, index }));
      const groups = groupCalls(calls, TOOLS);
      expect(groups.flat()).toEqual(calls);
      for (const group of groups) {
        expect(group.length).toBeLessThanOrEqual(10);
        if (group.length > 1) expect(group.every(({ call }) => call.name === "read")).toBe(true);
      }
    }),
  );
  const reads = Array.from({ length: 12 }, () => ({ call: { name: "read" } }));
  expect(groupCalls(reads, TOOLS).map(({ length }) => length)).toEqual([10, 2]);
});
