import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LINE_CHARACTERS, MAX_CHARACTERS, showLines } from "./show-lines.ts";

const FROM_START = { offset: 1, limit: 2_000 };

describe("shown lines", () => {
  test("have their numbers, and a hint where to continue", () => {
    expect(showLines(["one", "two\r", "three"], { offset: 1, limit: 2 })).toEqual({
      text: "     1\tone\n     2\ttwo\n[3 lines in all. Read on with offset 3.]",
      lastLine: 2,
    });
    expect(showLines(["one"], { offset: 2, limit: 2 })).toBeUndefined();
  });

  test("never exceed the limit of one answer", () => {
    const lines = Array.from({ length: 9_000 }, (_, at) => `${at} ${"x".repeat(at % 90)}`);
    const shown = showLines(lines, { offset: 1, limit: 9_000 })!;
    expect(shown.text.length).toBeLessThanOrEqual(MAX_CHARACTERS + 100);
    expect(shown.text.length).toBeGreaterThan(MAX_CHARACTERS * 0.9);
    expect(shown.text).toContain(`[9000 lines in all. Read on with offset ${shown.lastLine + 1}.]`);
  });

  test("are cut if they are too long, with a hint for the rest", () => {
    const line = `${"x".repeat(LINE_CHARACTERS - 1)}😀${"y".repeat(10)}`;
    const { text } = showLines([line], FROM_START)!;
    expect(text).toMatch(/x \[12 more characters\. Read on with offset 1 and character 2000\.\]$/);
    expect(showLines([line], { ...FROM_START, character: 2_000 })!.text).toBe(
      `     1\t😀${"y".repeat(10)}\n[Line 1 of 1, characters 2000 to 2011 of 2011.]`,
    );
  });
});

test("following the hints reads any text completely", () => {
  const line = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.integer({ min: 1_990, max: 2_010 }).map((length) => "é".repeat(length)),
    fc.constant("😀".repeat(60_000)),
  );
  fc.assert(
    fc.property(
      fc.array(
        line.map((text) => text.replaceAll(/[\r\n]/g, "_")),
        { minLength: 1, maxLength: 5 },
      ),
      (lines) => {
        const read = lines.map((whole, at) => {
          let text = "";
          for (let character: number | undefined = 1; character !== undefined; ) {
            const shown: string = showLines(lines, { offset: at + 1, limit: 1, character })!.text;
            const [, piece, rest] = /^ *\d+\t([^\n]*)\n\[(.*)\]$/.exec(shown)!;
            text += piece;
            const next: string | undefined = /and character (\d+)\.$/.exec(rest!)?.[1];
            character = next === undefined ? undefined : Number(next);
          }
          return text === whole;
        });
        expect(read.every(Boolean)).toBe(true);
      },
    ),
    { numRuns: 25 },
  );
});
