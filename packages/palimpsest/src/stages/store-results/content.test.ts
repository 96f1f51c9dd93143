import { expect, test } from "vitest";
import { CUT_CHARACTERS, cutContent } from "./content.ts";

const ENDS = { head: "", tail: "", bytes: 1_234_567, lines: 8_901 };
const FULL = new Error("the disk is full");

test("content that could not be stored is shown whole if it is short", () => {
  for (const text of ["", "a", "a".repeat(CUT_CHARACTERS)]) {
    const failure = { error: FULL, bytes: ENDS.bytes, keptCharacters: text.length, shown: "all" };
    expect(cutContent(text, ENDS, FULL)).toEqual({ kind: "cut", text, failure });
  }
});

test("of longer content the beginning is shown, and it is said how much there was", () => {
  const { text, failure } = cutContent("a".repeat(CUT_CHARACTERS + 1), ENDS, FULL);
  expect(failure).toEqual({ error: FULL, bytes: ENDS.bytes, keptCharacters: CUT_CHARACTERS, shown: "beginning" });
  expect(text.slice(0, CUT_CHARACTERS + 1)).toBe(`${"a".repeat(CUT_CHARACTERS)}\n`);
  expect(text.slice(CUT_CHARACTERS)).toMatch(/^\n\[.*1,234,567 bytes.*8,901 lines.*the disk is full\]$/);
});

test("no character is cut in half", () => {
  const { text, failure } = cutContent(`${"a".repeat(CUT_CHARACTERS - 1)}😀`, ENDS, FULL);
  expect([text.isWellFormed(), text.includes("\ufffd"), failure.shown]).toEqual([true, false, "beginning"]);
  expect(cutContent("a\ud83d", ENDS, FULL).text).toBe("a\ufffd");
});
