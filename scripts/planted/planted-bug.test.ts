import { expect, test } from "vitest";
import { plant, readBugs } from "./planted-bug.ts";

const bug = { id: "X1", bug: "one less" };

test("edits of one file come one upon the other", () => {
  const edits = [
    { file: "a.ts", find: "1", replace: "2" },
    { file: "a.ts", find: "2;", replace: "3;" },
  ];
  expect(plant({ ...bug, edits }, () => "a = 1;")).toEqual([{ file: "a.ts", text: "a = 3;" }]);
});

test("a bug whose place is gone, or there twice, is refused", () => {
  const edits = [{ file: "a.ts", find: "1", replace: "2" }];
  expect(() => plant({ ...bug, edits }, () => "a = 3;")).toThrow('X1: a.ts has 0 places like "1"');
  expect(() => plant({ ...bug, edits }, () => "a = 1 + 1;")).toThrow('X1: a.ts has 2 places like "1"');
});

test("every bug of the list has an id of its own", () => {
  const ids = readBugs(process.cwd()).map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});
