import fc from "fast-check";
import { expect, test } from "vitest";
import { readWords } from "./read-words.ts";

test("words are without case and accents", () => {
  expect(readWords("Größe, Café: OK")).toEqual(["grosse", "cafe", "ok"]);
});

test.each([
  ["retryBudgetMs", ["retrybudgetms", "retry", "budget", "ms"]],
  ["HTTPServer", ["httpserver", "http", "server"]],
  ["max_tokens", ["max", "tokens"]],
  ["src/billing/InvoiceTotal.ts", ["src", "billing", "invoicetotal", "invoice", "total", "ts"]],
])("%s is found by its parts", (text, words) => {
  expect(readWords(text)).toEqual(words);
});

test("without spaces: pairs of what stands between function words", () => {
  expect(readWords("我们的订单和键")).toEqual(["订单", "键"]);
  expect(readWords("券叠加")).toEqual(["券叠", "叠加"]);
});

test("every word is one token for FTS5's tokenizer", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      for (const word of readWords(text)) expect(word).toMatch(/^[a-z0-9\u0080-\u{10ffff}]+$/u);
    }),
  );
});
