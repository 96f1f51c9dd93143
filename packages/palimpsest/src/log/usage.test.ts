import { expect, test } from "vitest";
import { addCounts } from "./usage.ts";

test("adds or subtracts the named fields only", () => {
  const left = { tokens: 5, usd: 0.5, calls: 3 };
  const right = { tokens: 2, usd: 0.25, calls: 1 };
  expect(addCounts(["tokens", "usd"], left, right)).toEqual({ tokens: 7, usd: 0.75 });
  expect(addCounts(["calls"], left, right, -1)).toEqual({ calls: 2 });
});
