import fc from "fast-check";
import { expect, test } from "vitest";
import { readRange, type TextPlace } from "./read.ts";

const START: TextPlace = { line: 1, character: 1 };
const anyText = fc.string({ unit: fc.constantFrom("a", "ü", "😀", "\n", "\r\n", "\r", "\u2028"), maxLength: 60 });

/** Never through a pair of surrogates, as no decoder does that. */
function inPieces(text: string, size: number): string[] {
  const units = [...text];
  return Array.from({ length: Math.ceil(units.length / size) }, (_, index) =>
    units.slice(index * size, (index + 1) * size).join(""),
  );
}

test("one range after the other gives any text as it is, however it arrives", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyText,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 9 }),
      async (text, size, maxCharacters, lines) => {
        let all = "";
        let from: TextPlace | undefined = START;
        for (let rounds = 0; from !== undefined && rounds < 500; rounds++) {
          const { text: read, next } = await readRange(inPieces(text, size), { from, lines, maxCharacters });
          expect(read.length).toBeLessThanOrEqual(Math.max(2, maxCharacters));
          expect(read.isWellFormed()).toBe(true);
          expect(read.split("\n").length - 1).toBeLessThanOrEqual(lines);
          all += read;
          from = next;
        }
        expect(all).toBe(text);
      },
    ),
  );
});

test("a range is the lines it names", async () => {
  const text = "one\ntwo\r\n\nfour";
  const read = (from: TextPlace, lines = 9) => readRange([text], { from, lines, maxCharacters: 99 });
  expect(await read({ line: 2, character: 1 }, 2)).toEqual({ text: "two\r\n\n", next: { line: 4, character: 1 } });
  expect(await read({ line: 3, character: 1 })).toEqual({ text: "\nfour", next: undefined });
  expect(await read({ line: 1, character: 3 }, 1)).toEqual({ text: "e\n", next: { line: 2, character: 1 } });
  expect(await read({ line: 4, character: 1 }, 1)).toEqual({ text: "four", next: undefined });
  expect(await read({ line: 9, character: 1 })).toEqual({ text: "", next: undefined });
  expect(await read({ line: 1, character: 99 }, 1)).toEqual({ text: "two\r\n", next: { line: 3, character: 1 } });
});

test("nothing is read behind a range", async () => {
  function* endless(): Generator<string> {
    for (let line = 1; line < 1_000; line++) yield `${line}\n`;
    throw new Error("read too far");
  }
  const range = { from: { line: 5, character: 1 }, lines: 2, maxCharacters: 99 };
  expect(await readRange(endless(), range)).toEqual({ text: "5\n6\n", next: { line: 7, character: 1 } });
});
