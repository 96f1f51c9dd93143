import { expect, test } from "vitest";
import { settingsOf, thresholdOf } from "./store.ts";

test("a tool's results are stored above its own limit, else above that of all, and never if it limits them itself", () => {
  const settings = settingsOf({
    thresholdCharacters: 30_000,
    perTool: { shell: 9_000, tiny: 10, read: 20_000 },
    boundedTools: ["read", "look"],
  });
  const limits = ["shell", "other", "look", "read", "toString", undefined].map((tool) => thresholdOf(tool, settings));
  expect(limits).toEqual([9_000, 30_000, Number.POSITIVE_INFINITY, 20_000, 30_000, 30_000]);
  // What is not larger than its own preview stays where it is.
  expect(thresholdOf("tiny", settings)).toBe(5_000);
});
