import fc from "fast-check";
import { expect, test } from "vitest";
import { collectEnds, endsOf } from "./preview.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The same bytes in other pieces. */
function* cutInto(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = Math.max(1, sizes[index % Math.max(1, sizes.length)] ?? 7);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

test("how a content is cut into pieces changes nothing, whatever the bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.integer({ min: 1, max: 90 })), (bytes, sizes) => {
      const ends = collectEnds(20);
      for (const piece of cutInto(bytes, sizes)) ends.add(piece);
      expect(ends.end()).toEqual(endsOf(bytes, 20));
    }),
  );
});

test("the ends of a text are its ends, and its lines are counted", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      const { head, tail, bytes, lines } = endsOf(encode(text), 20);
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(Math.min(head.length, tail.length)).toBeGreaterThanOrEqual(Math.min(19, text.length));
      expect(Math.max(head.length, tail.length)).toBeLessThanOrEqual(20);
      expect(bytes).toBe(encode(text).length);
      expect(lines).toBe(text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);
    }),
  );
});

test("bytes that are no UTF-8 are shown as such, and a byte order mark stays", () => {
  expect(endsOf(Uint8Array.of(0xff, 0x61), 9).head).toBe("\ufffda");
  expect(endsOf(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 9).head).toBe("\ufeffa");
});
