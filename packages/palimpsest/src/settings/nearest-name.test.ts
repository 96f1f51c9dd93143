import { expect, test } from "vitest";
import { SETTINGS } from "./definitions.ts";
import { nearestName } from "./resolve.ts";

test.each([
  ["compaction.atuo", "compaction.auto"],
  ["Compaction.Auto", "compaction.auto"],
  ["clearing.keepNewst", "clearing.keepNewest"],
  ["cache.tll", "cache.ttl"],
  ["colour", undefined],
])("%s: did you mean %s?", (typed, meant) => {
  expect(nearestName(typed, Object.keys(SETTINGS))).toBe(meant);
});
