import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const WORDS = ["--model", "--max-rounds", "--mode", "--continue", "--output-format", "PreToolUse"];

test.each([
  ["--modle", "--model"],
  ["--contine", "--continue"],
  ["--output", "--output-format"],
  ["--max-round", "--max-rounds"],
  ["--MODEL", "--model"],
  ["pretooluse", "PreToolUse"],
  ["PreToolUsed", "PreToolUse"],
  ["--frobnicate", undefined],
  ["", undefined],
])("nearest corrects %s to %s", (typed, meant) => {
  expect(nearest(typed, WORDS)).toBe(meant);
});
