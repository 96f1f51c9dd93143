import { expect, test } from "vitest";
import { placeMarks } from "./flatten.ts";

test("the end of this request is marked, and those of the two before it", () => {
  expect(placeMarks([1, 3, 5, 9])).toEqual([2, 4, 8]);
  expect(placeMarks([1])).toEqual([0]);
  expect(placeMarks([])).toEqual([]);
});
