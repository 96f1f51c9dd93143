import { expect, test } from "vitest";
import { linePieces } from "./line-pieces.ts";

const PIECE = 8_192;
const pieces = (parts: readonly string[], overlap = 4) => Array.fromAsync(linePieces(parts, overlap));

test("a text is divided into its lines, whatever parts it comes in", async () => {
  const wanted = [
    { line: 1, character: 1, text: "one" },
    { line: 2, character: 1, text: "" },
    { line: 3, character: 1, text: "three" },
  ];
  expect(await pieces(["one\n\nthree"])).toEqual(wanted);
  expect(await pieces([..."one\n\nthree"])).toEqual(wanted);
  expect(await pieces(["one\n\nthree\n"])).toEqual(wanted);
  expect(await pieces([""])).toEqual([]);
});

test("a long line comes in pieces that overlap, each with its place", async () => {
  const long = Array.from({ length: 2 * PIECE + 100 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("");
  for (const parts of [
    [long, "\nnext"],
    [long.slice(0, 5_000), `${long.slice(5_000)}\nnext`],
  ]) {
    const found = await pieces(parts);
    expect(found.map(({ line, character }) => [line, character])).toEqual([
      [1, 1],
      [1, PIECE + 1],
      [1, 2 * PIECE + 1],
      [2, 1],
    ]);
    expect(found[0]!.text).toBe(long.slice(0, PIECE + 4));
    expect(found[1]!.text).toBe(long.slice(PIECE, 2 * PIECE + 4));
    expect(found[2]!.text).toBe(long.slice(2 * PIECE));
    expect(found[3]!.text).toBe("next");
  }
});
