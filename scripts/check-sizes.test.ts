import { expect, test } from "vitest";
import { checkSizes } from "./check-sizes.ts";

test("a tarball may be as large as its limit", () => {
  expect(checkSizes([{ name: "one", bytes: 10_000 }], { one: 10 })).toEqual([]);
});

test("a tarball above its limit, one without a limit and a limit without a tarball are named, with what to do", () => {
  const packed = [
    { name: "one", bytes: 10_001 },
    { name: "two", bytes: 500 },
  ];
  expect(checkSizes(packed, { one: 10, three: 5 })).toEqual([
    expect.stringMatching(
      /^one is 11 kB packed, and its limit is 10 kB\..*raise the limit in scripts\/package-sizes\.json/,
    ),
    "two is 1 kB packed and has no limit. Write one into scripts/package-sizes.json.",
    "scripts/package-sizes.json has a limit for three, which is not published. Remove the line.",
  ]);
});
