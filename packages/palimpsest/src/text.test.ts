import fc from "fast-check";
import { expect, test } from "vitest";
import { beginAtLine, endAtLine, headOf, tailOf } from "./text.ts";

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
