import fc from "fast-check";
import { expect, test } from "vitest";
import { beginAtLine, endAtLine, headOf, tailOf } from "./cut-text.ts";

const text = fc.string({ unit: "grapheme", maxLength: 80 });
const characters = fc.integer({ min: 0, max: 100 });

test("a head is the beginning of any text, short enough and well-formed", () => {
  fc.assert(
    fc.property(text, characters, (whole, max) => {
      const head = headOf(whole, max);
      expect(whole.startsWith(head) && head.length <= max && head.isWellFormed()).toBe(true);
      if (whole.length <= max) expect(head).toBe(whole);
    }),
  );
});

test("a tail is the end of any text, short enough and well-formed", () => {
  fc.assert(
    fc.property(text, characters, (whole, max) => {
      const tail = tailOf(whole, max);
      expect(whole.endsWith(tail) && tail.length <= max && tail.isWellFormed()).toBe(true);
      if (whole.length <= max) expect(tail).toBe(whole);
    }),
  );
});

test("a cut goes to the end of a line that is near, and not to one that is far", () => {
  expect(endAtLine("123456789\na")).toBe("123456789\n");
  expect(endAtLine("1\nabcdefghi")).toBe("1\nabcdefghi");
  expect(beginAtLine("\n123456789")).toBe("123456789");
  expect(beginAtLine("bcdefghi\n9")).toBe("bcdefghi\n9");
});
