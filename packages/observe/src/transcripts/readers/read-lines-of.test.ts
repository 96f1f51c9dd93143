import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadLinesOptions } from "./read-lines.ts";
import { readLinesOf } from "./read-lines-of.ts";

const cut = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  const parts = Math.ceil(bytes.length / size);
  return Array.from({ length: parts }, (_, part) => bytes.subarray(part * size, (part + 1) * size));
};
const read = async (text: string, size = 1_000, options: ReadLinesOptions = {}): Promise<unknown[]> => {
  const lines = await Array.fromAsync(readLinesOf(Readable.from(cut(text, size)), options));
  return lines.map((line) => (line.kind === "line" ? line.text : line));
};

describe("readLinesOf", () => {
  test("lines are lines", async () => {
    expect(await read('{"a":1}\n{"messages":[1]}')).toEqual(['{"a":1}', '{"messages":[1]}']);
  });

  test("the elements of a list are lines", async () => {
    const text = ' [ {"a":"]},"} , {"b":[1,{}]},7, "x,y" ] ignored';
    expect(await read(text)).toEqual(['{"a":"]},"} ', '{"b":[1,{}]}', "7", '"x,y" ']);
  });

  test("what stands before the messages of an object is a line of its own", async () => {
    const text = '{\n "id":"s", "messages": [\n{"a":1},\n{"a":2}\n], "more": 1}';
    const [head, ...rest] = await read(text);
    expect(JSON.parse(head as string)).toEqual({ id: "s", messages: null });
    expect(rest).toEqual(['{"a":1}', '{"a":2}\n']);
  });

  test("a document that was cut off ends with the part that is there", async () => {
    expect(await read('[{"a":1},{"b":"x')).toEqual(['{"a":1}', '{"b":"x']);
  });

  test("a record that is too long is passed over, and those behind it are not", async () => {
    const text = `[{"a":1},{"b":"${"x".repeat(50)}"},{"c":3}]`;
    const expected = ['{"a":1}', { kind: "damage", line: 2, reason: "too-long" }, '{"c":3}'];
    for (const size of [1, 7, 1_000]) expect(await read(text, size, { maxLineBytes: 20 })).toEqual(expected);
  });

  test("every element of any list is one line, however the bytes are cut", async () => {
    const records = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 2 }),
        async (list, size, space) => {
          const texts = await read(JSON.stringify(list, null, space), size);
          expect(texts.map((text) => JSON.parse(text as string))).toEqual(JSON.parse(JSON.stringify(list)));
          const [, ...rest] = await read(JSON.stringify({ id: "s", messages: list }, null, space), size);
          expect(rest.map((text) => JSON.parse(text as string))).toEqual(JSON.parse(JSON.stringify(list)));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("closes its source when it is left", async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('[{"a":1},{"a":2}');
        yield Buffer.from(",{}]");
      } finally {
        closed = true;
      }
    }
    const lines = readLinesOf(source());
    await lines.next();
    await lines.return(undefined);
    expect(closed).toBe(true);
  });
});
