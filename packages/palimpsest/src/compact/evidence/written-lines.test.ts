import fc from "fast-check";
import { expect, test } from "vitest";
import { findWritten, writtenLines } from "./calls.ts";

test("an edit is found where its text stands now, whatever was written above it", () => {
  const written = writtenLines("  if (isOpen) {\n    return closeTheDoorSlowly();\n  }")!;
  expect(written).toEqual({ line: "return closeTheDoorSlowly();", before: 1, after: 1 });
  const file = ["// new", "// newer", "if (isOpen) {", "  return closeTheDoorSlowly();", "}", "end"];
  expect(findWritten(file, written)).toEqual([3, 5]);
  expect(findWritten(["something else"], written)).toBeUndefined();
});

test("a text without a line of some length has no place", () => {
  expect(writtenLines("}\n\n{ x }")).toBeUndefined();
  expect(writtenLines("")).toBeUndefined();
});

test("of a very long line its beginning is kept, and found", () => {
  const written = writtenLines("x".repeat(10_000))!;
  expect(written.line.length).toBeLessThan(200);
  expect(findWritten(["y", "x".repeat(10_000)], written)).toEqual([2, 2]);
});

test("what was written is found within the file, with all its lines", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "😀"), maxLength: 40 });
  fc.assert(
    fc.property(fc.array(line), fc.array(line, { minLength: 1 }), fc.array(line), (above, text, below) => {
      const written = writtenLines(text.join("\n"));
      const range = written && findWritten([...above, ...text, ...below], written);
      // A line of the same beginning may stand above it.
      if (written !== undefined && above.every((one) => !one.trimStart().startsWith(written.line))) {
        expect(range).toEqual([above.length + 1, above.length + text.length]);
      }
    }),
  );
});
