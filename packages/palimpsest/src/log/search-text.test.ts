import fc from "fast-check";
import { expect, test } from "vitest";
import { isMatch, readQuery, snippetOf, wordsOf } from "./search-text.ts";

test("words are runs of letters and digits, without case and accents; unspaced scripts are read character by character", () => {
  expect(wordsOf("Max_tokens: 4096, naïve ÉCOLE")).toEqual(["max", "tokens", "4096", "naive", "ecole"]);
  expect(wordsOf("abc日本語ok")).toEqual(["abc", "日", "本", "語", "ok"]);
  expect(wordsOf("İstanbul ΑΘΗΝΑ ñ n\u0303")).toEqual(["istanbul", "αθηνα", "n", "n"]);
  expect(wordsOf("... --- \u0301")).toEqual([]);
});

test("words hold nothing that an index could take for something else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII but letters and digits.
      for (const word of wordsOf(text)) expect(word).toMatch(/^[^\x00-\x2f\x3a-\x60\x7b-\x7f]+$/);
    }),
  );
});

test("a query is words and quoted words, whatever else stands in it", () => {
  expect(readQuery('find "exit code" of max_tokens')).toEqual([["find"], ["exit", "code"], ["of"], ["max", "tokens"]]);
  expect(readQuery('"unclosed quote')).toEqual([["unclosed"], ["quote"]]);
  expect(readQuery('* -- "" (')).toEqual([]);
});

test("any words of a text, in a row, are found in it, and in its snippet if they are not long", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "B", "é", "7", "語"), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 80 }),
      fc.nat(),
      fc.integer({ min: 1, max: 3 }),
      (words, at, count) => {
        const text = words.join(" ");
        const start = at % words.length;
        const phrases = readQuery(`"${words.slice(start, start + count).join(" ")}"`);
        expect(isMatch(text, phrases)).toBe(true);
        expect(isMatch(snippetOf(text, phrases), phrases)).toBe(true);
      },
    ),
  );
});

test("a quarter of a snippet stands before the place, whose last word may go on and no other; dots say what is cut", () => {
  const behind = " c".repeat(200);
  const text = `maxi connections ${"b ".repeat(200)}max connections${behind}`;
  for (const query of ['"max conn"', '"MAX connections"']) {
    expect(snippetOf(text, readQuery(query)), query).toBe(`...${"b ".repeat(25)}max connections${" c".repeat(67)}...`);
  }
  expect(snippetOf(`max connections${behind}`, readQuery("conn"))).toMatch(/^max connections c .* c\.\.\.$/);
  expect(snippetOf("nothing of it", readQuery("conn"))).toBe("nothing of it");
});

test("a snippet is short, on one line and well-formed, wherever it is cut", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("😀", "\n", "x ", "needle "), maxLength: 400 }), (text) => {
      const snippet = snippetOf(text, [["needle"]]);
      expect(snippet.isWellFormed() && !snippet.includes("\n") && snippet.length <= 206).toBe(true);
    }),
  );
});
