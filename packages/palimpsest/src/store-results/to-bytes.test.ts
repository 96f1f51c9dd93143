import { expect, test } from "vitest";
import { toBytes } from "./store.ts";

async function bytesOf(chunks: readonly (Uint8Array | string)[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  // A piece is valid only until the next one.
  for await (const piece of toBytes(chunks)) pieces.push(piece.slice());
  return new Uint8Array(Buffer.concat(pieces));
}
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each(["\u{10000}", "🙂", "\u{1f3ff}", "\u{10fc00}", "\u{10ffff}"])(
  "both halves of %j that arrive in two strings are one character again",
  async (character) => {
    const [first, second] = [character[0]!, character[1]!];
    expect(await bytesOf([`a${first}`, `${second}b`])).toEqual(encode(`a${character}b`));
    expect(await bytesOf([first, second])).toEqual(encode(character));
  },
);

test("a half whose other half never arrives stands before what comes next, as a sign of damage", async () => {
  expect(await bytesOf(["a\ud83d", encode("b")])).toEqual(encode("a\ufffdb"));
  expect(await bytesOf(["a\ud83d", "b"])).toEqual(encode("a\ufffdb"));
  expect(await bytesOf(["a\ud83d"])).toEqual(encode("a\ufffd"));
});

test.each([1, 2])("what was gathered stands before a large chunk, also if it is %i byte", async (length) => {
  const [few, many] = ["a".repeat(length), "b".repeat(65_536)];
  expect(Buffer.from(await bytesOf([few, encode(many)])).toString() === few + many).toBe(true);
});
