import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReadLinesOptions, readLines, type TranscriptLine } from "./read-lines.ts";
import type { RecordedDamage } from "./recorded.ts";

const read = (chunks: Uint8Array[], options?: ReadLinesOptions): Promise<(TranscriptLine | RecordedDamage)[]> =>
  Readable.from(readLines(Readable.from(chunks), options)).toArray();

const texts = async (content: string): Promise<string[]> =>
  (await read([Buffer.from(content)])).map((line) => (line.kind === "line" ? line.text : line.reason));

describe("readLines", () => {
  test.each([
    ["nothing", "", []],
    ["one line", "a\n", ["a"]],
    ["a last line without its end", "a\nb", ["a", "b"]],
    ["blank lines", "a\n\nb\n\n", ["a", "", "b", ""]],
    ["line separators inside a line", "a\u2028b\u2029c\u0085d\n", ["a\u2028b\u2029c\u0085d"]],
    ["a carriage return at the end", "a\r\nb\r\n", ["a", "b"]],
    ["a carriage return elsewhere", "a\rb\n", ["a\rb"]],
    ["a byte order mark", "\ufeffa\nb", ["a", "b"]],
    ["NUL characters", "a\n\0\0\0\nb", ["a", "\0\0\0", "b"]],
  ])("reads %s", async (_, content, expected) => {
    expect(await texts(content)).toEqual(expected);
  });

  test("numbers lines from one, the skipped among them", async () => {
    const lines = await read([Buffer.from("a\n\nlong\nfit")], { maxLineBytes: 3 });
    expect(lines).toEqual([
      { kind: "line", number: 1, text: "a" },
      { kind: "line", number: 2, text: "" },
      { kind: "damage", line: 3, reason: "too-long" },
      { kind: "line", number: 4, text: "fit" },
    ]);
  });

  test("skips a line too long for memory, however many chunks it has", async () => {
    const chunk = Buffer.alloc(1_000, "x");
    const lines = await read([...Array<Buffer>(1_000).fill(chunk), Buffer.from("\nnext")], { maxLineBytes: 1_500 });
    expect(lines).toEqual([
      { kind: "damage", line: 1, reason: "too-long" },
      { kind: "line", number: 2, text: "next" },
    ]);
  });

  test("does not depend on how the bytes are cut into chunks", async () => {
    const content = fc
      .array(fc.constantFrom("\n", "\r", "\ufeff", "é", "\u2028", "😀", "\0", "a", '"'))
      .map((c) => c.join(""));
    await fc.assert(
      fc.asyncProperty(content, fc.array(fc.nat({ max: 7 })), async (text, sizes) => {
        const bytes = Buffer.from(text);
        expect(await read(cut(bytes, sizes), { maxLineBytes: 9 })).toEqual(await read([bytes], { maxLineBytes: 9 }));
      }),
    );
  });
});

function cut(bytes: Buffer, sizes: number[]): Buffer[] {
  const [size, ...rest] = sizes;
  return size === undefined ? [bytes] : [bytes.subarray(0, size), ...cut(bytes.subarray(size), rest)];
}
