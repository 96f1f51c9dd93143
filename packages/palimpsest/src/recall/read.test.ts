import fc from "fast-check";
import { expect, test } from "vitest";
import { sealEntries, toDraft } from "../log/entry.ts";
import { memoryResults } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import { contentOf, readRange, type TextPlace } from "./read.ts";

/** An entry that shows a preview, and whose content was stored. */
async function stored(content: Uint8Array) {
  const files = memoryResults();
  const draft = await files.create("s");
  await draft.write(content);
  const { file, digest } = await draft.keep("txt");
  const blocks = [{ kind: "text", text: "preview" }] as const;
  const known = { file, bytes: content.length, lines: 1, digest };
  const message = toDraft("message", { role: "user", origin: "tool", blocks, stored: known });
  const [entry] = sealEntries([message], { head: { sequence: 6, hash: "" }, atMs: 0, digest: sha256 });
  return { files, entry: entry! };
}

async function textOf(found: Awaited<ReturnType<typeof contentOf>>): Promise<string> {
  if (found.kind !== "content") throw new Error(`it is ${found.kind}`);
  let all = "";
  for await (const piece of found.pieces) all += piece;
  return all;
}

test("contentOf reads stored content with any bytes from its file", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  for (const [text, content] of [
    ["all of it\n", bytes("all of it\n")],
    ["\ufeffü😀", bytes("\ufeffü😀")],
    ["a\ufffdb", Uint8Array.of(0x61, 0xff, 0x62)],
    // A character that is cut off at the end is not lost without a trace.
    ["a\ufffd", Uint8Array.of(0x61, 0xc3)],
  ] as const) {
    const { files, entry } = await stored(content);
    expect(await textOf(await contentOf(entry, { files, session: "s" }))).toBe(text);
    // One byte at a time: a character lies in several chunks.
    const split = { ...files, find: async () => ({ bytes: content.length, chunks: () => each(content) }) };
    expect(await textOf(await contentOf(entry, { files: split, session: "s" }))).toBe(text);
  }
});

async function* each(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const byte of content) yield Uint8Array.of(byte);
}

const START: TextPlace = { line: 1, character: 1 };
const anyText = fc.string({ unit: fc.constantFrom("a", "ü", "😀", "\n", "\r\n", "\r", "\u2028"), maxLength: 60 });

/** Never through a pair of surrogates, as no decoder does that. */
function inPieces(text: string, size: number): string[] {
  const units = [...text];
  return Array.from({ length: Math.ceil(units.length / size) }, (_, index) =>
    units.slice(index * size, (index + 1) * size).join(""),
  );
}

test("readRange gives any text unchanged in consecutive ranges, however the text arrives", async () => {
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

test("readRange returns the lines of the range", async () => {
  const text = "one\ntwo\r\n\nfour";
  const read = (from: TextPlace, lines = 9) => readRange([text], { from, lines, maxCharacters: 99 });
  expect(await read({ line: 2, character: 1 }, 2)).toEqual({ text: "two\r\n\n", next: { line: 4, character: 1 } });
  expect(await read({ line: 3, character: 1 })).toEqual({ text: "\nfour", next: undefined });
  expect(await read({ line: 1, character: 3 }, 1)).toEqual({ text: "e\n", next: { line: 2, character: 1 } });
  expect(await read({ line: 4, character: 1 }, 1)).toEqual({ text: "four", next: undefined });
  expect(await read({ line: 9, character: 1 })).toEqual({ text: "", next: undefined });
  expect(await read({ line: 1, character: 99 }, 1)).toEqual({ text: "two\r\n", next: { line: 3, character: 1 } });
});

test("readRange reads nothing after the range", async () => {
  function* endless(): Generator<string> {
    for (let line = 1; line < 1_000; line++) yield `${line}\n`;
    throw new Error("read too far");
  }
  const range = { from: { line: 5, character: 1 }, lines: 2, maxCharacters: 99 };
  expect(await readRange(endless(), range)).toEqual({ text: "5\n6\n", next: { line: 7, character: 1 } });
});
