import { expect, test } from "vitest";
import { processorMs } from "../../test/processor-ms.ts";
import { BOUNDED, hostileTexts, isBoundedByForm } from "./judge-pattern.ts";

/** For one text of the longest length. */
const LIMIT_MS = 500;

test.each(BOUNDED)("$pattern takes little time on texts of at most $atMost characters", async (bounded) => {
  const end = bounded.pattern.lastIndexOf("/");
  const pattern = new RegExp(bounded.pattern.slice(1, end), bounded.pattern.slice(end + 1));
  for (const text of hostileTexts(bounded)) {
    const usedMs = await processorMs(() => text.replace(pattern, ""));
    expect(usedMs).toBeLessThan(LIMIT_MS);
  }
});

test.each([
  ["^[a-z]{1,200}$", true],
  ["a{1,10}b", true],
  ["\\s+$", false],
  ["(a+)+$", false],
  ["(a|b)*c", false],
])("tells by its form whether %s is linear: %s", (source, expected) => {
  expect(isBoundedByForm({ source, flags: "" })).toBe(expected);
});
