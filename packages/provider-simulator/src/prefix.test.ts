import fc from "fast-check";
import { expect, test } from "vitest";
import { digestText } from "./digest.ts";
import { Prefix } from "./prefix.ts";

function prefixOf(blocks: readonly string[]): Prefix {
  const prefix = new Prefix();
  for (const block of blocks) prefix.append(digestText(block), block.length);
  return prefix;
}

test("two prompts share their keys exactly as far as they share their blocks", () => {
  const blocks = fc.array(fc.string({ maxLength: 3 }), { maxLength: 12 });
  fc.assert(
    fc.property(blocks, blocks, (left, right) => {
      const [one, other] = [prefixOf(left), prefixOf(right)];
      const first = left.findIndex((block, index) => block !== right[index]);
      const shared = Math.min(first < 0 ? left.length : first, right.length);
      for (let position = 1; position <= Math.min(left.length, right.length); position++) {
        expect(one.keyAt(position) === other.keyAt(position)).toBe(position <= shared);
      }
      expect(one.sharedLength(other)).toBe(shared);
    }),
  );
});

test("prompts of many blocks share all before the block that differs", () => {
  const blocks = Array.from({ length: 100 }, (_, index) => `${index}`);
  for (const different of [0, 1, 49, 50, 98, 99]) {
    expect(prefixOf(blocks).sharedLength(prefixOf(blocks.with(different, "x")))).toBe(different);
  }
  expect(prefixOf(blocks).sharedLength(prefixOf([...blocks, "more"]))).toBe(100);
  expect(prefixOf([...blocks, "more"]).sharedLength(prefixOf(blocks))).toBe(100);
});

test("the order of blocks counts", () => {
  expect(prefixOf(["a", "b"]).keyAt(2)).not.toBe(prefixOf(["b", "a"]).keyAt(2));
});

test("what is mixed in changes what follows and leaves what stands before", () => {
  const plain = prefixOf(["a", "b"]);
  const mixed = new Prefix();
  mixed.append(digestText("a"), 1);
  mixed.mix(digestText("setting"));
  expect(mixed.keyAt(1)).toBe(plain.keyAt(1));
  mixed.append(digestText("b"), 1);
  expect(mixed.keyAt(1)).toBe(plain.keyAt(1));
  expect(mixed.keyAt(2)).not.toBe(plain.keyAt(2));
});

test("tokens add up", () => {
  const prefix = prefixOf(["aaa", "b", "cc"]);
  expect([0, 1, 2, 3].map((position) => prefix.tokensAt(position))).toEqual([0, 3, 4, 6]);
  expect(prefix.tokens).toBe(6);
});
