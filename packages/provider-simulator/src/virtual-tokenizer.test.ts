import fc from "fast-check";
import { expect, test } from "vitest";
import { virtualTokenizer } from "./virtual-tokenizer.ts";

test("the same seed counts the same, other seeds count otherwise", () => {
  const text = Array.from({ length: 80 }, (_, length) => "a".repeat(length)).join(" 31 日本 ");
  const counts = [1, 2, 3, 4, 5].map((seed) => virtualTokenizer(seed).countText(text));
  expect(new Set(counts).size).toBe(5);
  expect(virtualTokenizer(3).countText(text)).toBe(counts[2]);
});

test("seeds spread as widely as real tokenizers do: the dearest prose costs at least 1.6 times the cheapest", () => {
  const prose = "The quick brown fox jumps over the lazy dog and thinks about prompt caches all day long. ".repeat(30);
  const counts = Array.from({ length: 200 }, (_, seed) => virtualTokenizer(seed).countText(prose));
  expect(Math.max(...counts) / Math.min(...counts)).toBeGreaterThan(1.6);
  // Between 2 and 7 characters a token: nothing here is outside what vocabularies in use do.
  for (const count of counts) {
    expect(prose.length / count).toBeGreaterThan(2);
    expect(prose.length / count).toBeLessThan(7);
  }
});

test("text is never free beyond a single space, and cutting it costs little", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 2 }), fc.string(), fc.integer(), (left, right, seed) => {
      const tokenizer = virtualTokenizer(seed);
      const whole = tokenizer.countText(left + right);
      expect(whole).toBeGreaterThan(0);
      // Two single spaces at the seam become a run, which costs; nothing else does.
      expect(whole).toBeLessThanOrEqual(tokenizer.countText(left) + tokenizer.countText(right) + 1);
    }),
  );
});
