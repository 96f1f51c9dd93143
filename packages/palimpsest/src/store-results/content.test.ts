import { expect, test } from "vitest";
import { CUT_CHARACTERS, cutContent } from "./preview.ts";

const ENDS = { head: "", tail: "", bytes: 1_234_567, lines: 8_901 };
const FULL = new Error("the disk is full");

test("no character is cut in half", () => {
  const { text, failure } = cutContent(`${"a".repeat(CUT_CHARACTERS - 1)}😀`, ENDS, FULL);
  expect([text.isWellFormed(), text.includes("\ufffd"), failure.shown]).toEqual([true, false, "beginning"]);
  expect(cutContent("a\ud83d", ENDS, FULL).text).toBe("a\ufffd");
});
