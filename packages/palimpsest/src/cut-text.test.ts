import fc from "fast-check";
import { expect, test } from "vitest";
import { beginAtLine, endAtLine, headOf, tailOf } from "./text.ts";

const text = fc.string({ unit: "grapheme", maxLength: 80 });
const characters = fc.integer({ min: 0, max: 100 });

test.each([
  ["head is the beginning", headOf, (whole: string, head: string) => whole.startsWith(head)],
  ["tail is the end", tailOf, (whole: string, tail: string) => whole.endsWith(tail)],
])("a %s of any text, short enough and well-formed", (_, cutOff, isInPlace) => {
  fc.assert(
    fc.property(text, characters, (whole, max) => {
      const part = cutOff(whole, max);
      expect(isInPlace(whole, part) && part.length <= max && part.isWellFormed()).toBe(true);
      if (whole.length <= max) expect(part).toBe(whole);
    }),
  );
});

test.each(["\u{10000}", "\u{10ffff}", "\u{103ff}", "\u{10fc00}"])(
  "no pair of surrogates is cut, also at the ends of their range: %o",
  (pair) => {
    expect([headOf(`a${pair}b`, 2), headOf(`a${pair}b`, 3)]).toEqual(["a", `a${pair}`]);
    expect([tailOf(`a${pair}b`, 2), tailOf(`a${pair}b`, 3)]).toEqual(["b", `${pair}b`]);
  },
);

test.each(["\ud7ff", "\ue000"])("a character beside their range is one like any other: %o", (one) => {
  expect(headOf(`a${one}b`, 2)).toBe(`a${one}`);
  expect(tailOf(`a${one}b`, 2)).toBe(`${one}b`);
});

test("a cut goes to the end of a line that is near, and not to one that is far", () => {
  expect(endAtLine("123456789\na")).toBe("123456789\n");
  expect(endAtLine("1\nabcdefghi")).toBe("1\nabcdefghi");
  expect(beginAtLine("\n123456789")).toBe("123456789");
  expect(beginAtLine("bcdefghi\n9")).toBe("bcdefghi\n9");
});
