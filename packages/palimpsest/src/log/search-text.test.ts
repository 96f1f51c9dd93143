import fc from "fast-check";
import { expect, test } from "vitest";
import { toDraft } from "./draft.ts";
import { EMPTY_LOG, type Entry, sealEntries } from "./entry.ts";
import type { PayloadKind, Payloads } from "./payload.ts";
import { entryText, isMatch, readQuery, snippetOf, wordsOf } from "./search-text.ts";

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

function entryOf<Kind extends PayloadKind>(kind: Kind, payload: Payloads[Kind]): Entry {
  return sealEntries([toDraft(kind, payload)], { head: EMPTY_LOG, atMs: 0, digest: (text) => `${text.length}` })[0]!;
}

test("the text of a message of one text is that text, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const said = entryOf("message", { role: "user", origin: "human", blocks: [{ kind: "text", text }] });
      const result = entryOf("message", {
        role: "user",
        origin: "tool",
        blocks: [{ kind: "tool_result", callId: "1", content: text, status: "ok" }],
      });
      expect([entryText(said), entryText(result)]).toEqual([text, text]);
    }),
  );
});

test("parts stand on lines of their own; calls are named, media told, thinking left out", () => {
  const entry = entryOf("message", {
    role: "assistant",
    origin: "model",
    blocks: [
      { kind: "thinking", provider: "p", text: "hidden" },
      { kind: "text", text: "I look." },
      { kind: "tool_call", id: "1", name: "look", input: { at: 1 } },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
      { kind: "document", source: { kind: "url", url: "https://example.org/a.pdf" } },
      { kind: "opaque", native: { provider: "p", block: {} } },
    ],
  });
  expect(entryText(entry)).toBe(
    'I look.\n[call of look] {"at":1}\n[image: image/png]\n[document: https://example.org/a.pdf]',
  );
});

test("a decision says what it shows; a request, and what was erased, says nothing", () => {
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "So far." }] } as const;
  expect(entryText(entryOf("replace", { from: 1, to: 2, with: [summary], reason: "r" }))).toBe("So far.");
  expect(entryText(entryOf("replace", { from: 1, to: 2, with: [summary, summary], reason: "r" }))).toBe(
    "So far.\nSo far.",
  );
  expect(entryText(entryOf("request", { maxTokens: 1, estimatedTokens: 1 }))).toBeUndefined();
  expect(
    entryText({
      ...entryOf("attachment", { type: "a", blocks: [], provenance: { kind: "host" } }),
      payload: undefined,
    }),
  ).toBeUndefined();
});
