import { expect, test } from "vitest";
import { fitsPath, placePattern } from "./glob.ts";

const BASE = { folder: "/work/project", home: "/home/user" };

test.each([
  ["a", "a"],
  ["a/", "a"],
  ["./a", "./a"],
  ["a/b//c/", "./a/b/c"],
  ["a/../b", "./b"],
  [".", "./"],
  ["./", "./"],
  ["..", "/work"],
  ["../other", "/work/other"],
  ["/", "/"],
  ["/work/project", "./"],
  ["/work/project/a/", "./a"],
  ["/work/project-old", "/work/project-old"],
  ["/work/project/../x", "/work/x"],
  ["~", "/home/user"],
  ["~/a", "/home/user/a"],
  ["~a", "~a"],
])("the pattern %s is placed as %s", (pattern, placed) => {
  expect(placePattern(pattern, BASE)).toBe(placed);
});

test.each([
  ["a", ["a", "b/a", "a/b", "b/a/c", "/x/a"], ["ab", "b/ab", "A"]],
  ["./a", ["a", "a/b"], ["b/a", "/a", "ab"]],
  ["./", ["a", "a/b"], ["/a"]],
  ["./a/*.ts", ["a/b.ts", "a/b.ts/c"], ["a/b/c.ts", "b.ts"]],
  ["./a/**", ["a/b", "a/b/c"], ["ab/c"]],
  ["/x/a", ["/x/a", "/x/a/b"], ["x/a", "/x/ab"]],
])("what is placed as %s fits %j, and not %j", (placed, paths, others) => {
  for (const path of paths) expect([path, fitsPath(placed, path)]).toEqual([path, true]);
  for (const path of others) expect([path, fitsPath(placed, path)]).toEqual([path, false]);
});
