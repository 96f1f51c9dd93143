import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { textOf } from "./line.ts";
import { breakLine, charactersOf, cutText, lineWidth, widthOf, wrapLine } from "./width.ts";

test("widthOf agrees with string-width for all letters", () => {
  const letters = fc.string({ unit: fc.integer({ min: 0x20, max: 0x11ff }).map((code) => String.fromCodePoint(code)) });
  fc.assert(fc.property(letters, (text) => void expect(widthOf(text)).toBe(stringWidth(text))));
  expect(widthOf("日本語")).toBe(6);
  expect(widthOf("👨‍👩‍👧")).toBe(2);
});

test("wrapping keeps every character whole and stays within the columns", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 4, max: 80 }), (text, columns) => {
      const rows = wrapLine([{ text }], columns);
      for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(columns);
      const letters = (joined: string): string => charactersOf(joined.replaceAll(/\s/g, "")).join("");
      expect(letters(rows.map(textOf).join(""))).toBe(letters(text));
      const broken = breakLine([{ text }], columns);
      for (const row of broken) expect(lineWidth(row)).toBeLessThanOrEqual(columns);
      expect(broken.map(textOf).join("")).toBe(text);
      expect(widthOf(cutText(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});
