import fc from "fast-check";
import { expect, test } from "vitest";
import { readWords, termsOf } from "./read-words.ts";

test("words are without case and accents", () => {
  expect(termsOf("Größe, Café: OK")).toEqual(["grosse", "cafe", "ok"]);
});

test.each([
  ["retryBudgetMs", "retrybudgetms", ["retry", "budget", "ms"]],
  ["max_tokens", "maxtokens", ["max", "tokens"]],
  ["user.profile.load", "userprofileload", ["user", "profile", "load"]],
  ["HTTPServer", "httpserver", ["http", "server"]],
  ["on-call", "oncall", ["on", "call"]],
])("%s is one word and several", (text, whole, parts) => {
  const [word] = readWords(text);
  expect(word).toMatchObject({ kind: "identifier", text, terms: [whole] });
  expect(word?.parts).toEqual(expect.arrayContaining(parts));
});

test("a path is found by its file, with and without the ending", () => {
  const terms = termsOf("see src/billing/InvoiceTotal.ts");
  expect(terms).toEqual(expect.arrayContaining(["invoicetotal", "invoicetotalts", "billing", "invoice", "total"]));
});

test("numbers with a dot are not those without", () => {
  expect(termsOf("2.2 and 22")).toEqual(["2·2", "and", "22"]);
});

test("two words that mean something together are one, too", () => {
  expect(termsOf("open a pull request")).toContain("pullrequest");
});

test("without spaces: known words, and pairs of the rest", () => {
  const words = readWords("我们的订单分片键");
  expect(words.map(({ kind, terms }) => [kind, terms[0]])).toEqual([
    ["unspaced", "订单"],
    ["unspaced", "分片"],
    ["pair", "键"],
  ]);
  expect(termsOf("券叠加")).toEqual(["券叠", "叠加"]);
});

test("every term is one token for FTS5's tokenizer", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      for (const term of termsOf(text)) expect(term).toMatch(/^[a-z0-9\u0080-\u{10ffff}]+$/u);
    }),
  );
});
