import fc from "fast-check";
import { expect, test } from "vitest";
import { scanText, type TextCounts } from "./features.ts";

const NOTHING = scanText("");

test("an empty text has nothing", () => {
  expect(new Set(Object.values(NOTHING))).toEqual(new Set([0]));
});

test.each<[string, Partial<TextCounts>]>([
  ["two words", { words: 2, letters: 6 }],
  ["camelCase HTTPServer", { words: 3, letters: 16 }],
  ["x".repeat(20), { words: 1, letters: 19, runOnLetters: 7 }],
  ["3 1415", { numbers: 2, digits: 3 }],
  ['{"a":1}', { words: 1, numbers: 1, marks: 3, furtherMarks: 2 }],
  ["a\n\n    b\n", { words: 2, lines: 2, spaces: 4 }],
  ["a\r\nb", { words: 2, lines: 1, spaces: 1 }],
  ["~", { marks: 1 }],
  ["\u007f", { furtherMarks: 1 }],
  ["Ωμέγα", { foreignLetters: 5 }],
  ["→ ───", { symbols: 2, furtherSymbols: 2 }],
  ["漢字かな한글", { ideographs: 6 }],
  ["🙂🙂", { emoji: 2 }],
  ["\u0000", { furtherMarks: 1 }],
  ["\u0001\u0002", { furtherMarks: 2 }],
  // The first and the last of each range.
  ["A z", { words: 2 }],
  ["Z a", { words: 2 }],
  ["09", { numbers: 1, digits: 1 }],
  ["/:@[`{", { marks: 1, furtherMarks: 5 }],
  // A half of a pair is encoded as a replacement character.
  ["\ud83d", { ideographs: 1 }],
])("%j holds %j", (text, expected) => {
  expect(scanText(text)).toEqual({ ...NOTHING, ...expected });
});

test("texts set apart by a line end count as much as on their own", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (first, second) => {
      const [left, right] = [scanText(`${first}\n`), scanText(second)];
      const both = scanText(`${first}\n${second}`);
      // Run-on letters are a matter of the average.
      for (const name of ["words", "letters", "digits", "marks", "lines", "spaces", "ideographs", "emoji"] as const) {
        expect(both[name]).toBe(left[name] + right[name]);
      }
    }),
  );
});

test("a long text is sampled: the counts of an even text come out right", () => {
  const sentence = "const total = rows.map((row) => row.price * 1.19);\n";
  const [one, many] = [scanText(sentence), scanText(sentence.repeat(20_000))];
  for (const name of ["words", "letters", "numbers", "digits", "marks", "lines"] as const) {
    expect(many[name] / (20_000 * one[name])).toBeCloseTo(1, 1);
  }
});

test("a long text is sampled over its whole length", () => {
  const half = 500_000;
  const mixed = scanText("x".repeat(half) + "漢".repeat(half));
  expect(mixed.ideographs / half).toBeCloseTo(1, 1);
  expect(mixed.letters / half).toBeCloseTo(1, 1);
});
