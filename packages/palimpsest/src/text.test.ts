import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { beginAtLine, endAtLine, headOf, shortenText, tailOf } from "./text.ts";

const text = fc.string({ unit: "grapheme", maxLength: 80 });
const characters = fc.integer({ min: 0, max: 100 });

test.each([
  ["head from the beginning", headOf, (whole: string, head: string) => whole.startsWith(head)],
  ["tail from the end", tailOf, (whole: string, tail: string) => whole.endsWith(tail)],
])("returns a %s of any text that is short enough and well-formed", (_, cutOff, isInPlace) => {
  fc.assert(
    fc.property(text, characters, (whole, max) => {
      const part = cutOff(whole, max);
      expect(isInPlace(whole, part) && part.length <= max && part.isWellFormed()).toBe(true);
      if (whole.length <= max) expect(part).toBe(whole);
    }),
  );
});

test.each(["\u{10000}", "\u{10ffff}", "\u{103ff}", "\u{10fc00}"])(
  "cuts no surrogate pair, also at the ends of the range: %o",
  (pair) => {
    expect([headOf(`a${pair}b`, 2), headOf(`a${pair}b`, 3)]).toEqual(["a", `a${pair}`]);
    expect([tailOf(`a${pair}b`, 2), tailOf(`a${pair}b`, 3)]).toEqual(["b", `${pair}b`]);
  },
);

test.each(["\ud7ff", "\ue000"])("cuts a character next to the surrogates like any other: %o", (one) => {
  expect(headOf(`a${one}b`, 2)).toBe(`a${one}`);
  expect(tailOf(`a${one}b`, 2)).toBe(`${one}b`);
});

test("moves a cut to a line end that is near, and not to a distant one", () => {
  expect(endAtLine("123456789\na")).toBe("123456789\n");
  expect(endAtLine("1\nabcdefghi")).toBe("1\nabcdefghi");
  expect(beginAtLine("\n123456789")).toBe("123456789");
  expect(beginAtLine("bcdefghi\n9")).toBe("bcdefghi\n9");
});

describe("shortenText", () => {
  const mark = (characters: number): string => `[${characters} left out]`;

  test("a text that fits stays as it is", () => {
    expect(shortenText("0123456789", 10, mark)).toBe("0123456789");
  });

  test("a longer one keeps its two ends, more of its end, and says how much is gone between them", () => {
    expect(shortenText("0123456789ABCDEFGHIJ", 10, mark)).toBe("0123\n[10 left out]\nEFGHIJ");
  });

  test("it is cut at the ends of lines where they are near", () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
    const [head, tail] = shortenText(text, 400, (left) => `[${left}]`).split(/\n\[\d+\]\n/);
    expect(text.startsWith(`${head}\n`)).toBe(true);
    expect(text.endsWith(`\n${tail}`)).toBe(true);
    expect(head!.length).toBeLessThan(tail!.length);
    const said = Number(/\[(\d+)\]/.exec(shortenText(text, 400, (left) => `[${left}]`))![1]);
    // The line end before the mark is the head's own.
    expect(said).toBe(text.length - head!.length - 1 - tail!.length);
  });

  test("with hardly any room there is only the end, or only the mark", () => {
    expect(shortenText("0123456789", 1, mark)).toBe("[9 left out]\n9");
    expect(shortenText("0123456789", 0, mark)).toBe("[10 left out]");
  });
});
