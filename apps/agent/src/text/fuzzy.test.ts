import { expect, test } from "vitest";
import { fuzzyRank } from "./nearest.ts";

test.each([
  ["", "context", 1],
  ["cost", "cost", 0],
  ["co", "compact", 1],
  ["list", "todo-list", 2],
  ["ist", "todo-list", 3],
  ["cmt", "compact", 4],
  ["tc", "compact", undefined],
  ["tcz", "transcript", undefined],
])("for the input %j, fuzzyRank ranks %s as %s", (typed, name, rank) => {
  expect(fuzzyRank(typed, name)).toBe(rank);
});
