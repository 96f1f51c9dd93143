import fc from "fast-check";
import { expect, test } from "vitest";
import { longestWithin } from "./longest-within.ts";
import { virtualTokenizer } from "./virtual-tokenizer.ts";

const texts = fc.array(fc.constantFrom("a", "word ", "42", "  ", "\n", "中", "😀", "é", "{}"), { maxLength: 60 });

test("the longest beginning that fits: well formed, within the limit, and one character more is too much", () => {
  fc.assert(
    fc.property(fc.integer(), texts, fc.nat(40), (seed, pieces, tokens) => {
      const tokenizer = virtualTokenizer(seed);
      const text = pieces.join("");
      const said = longestWithin(text, tokens, tokenizer);
      expect(text.startsWith(said) && said.isWellFormed()).toBe(true);
      expect(tokenizer.countText(said)).toBeLessThanOrEqual(tokens);
      if (said === text) return;
      const [next] = text.slice(said.length);
      expect(tokenizer.countText(said + next)).toBeGreaterThan(tokens);
    }),
  );
});

test("half of a surrogate pair that is in the text already stays, where it fits", () => {
  const tokenizer = virtualTokenizer(1);
  expect(longestWithin("\ud83d", 10, tokenizer)).toBe("\ud83d");
});
