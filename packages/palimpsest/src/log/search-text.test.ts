import fc from "fast-check";
import { expect, test } from "vitest";
import { EMPTY_LOG, type Entry, sealEntries, toDraft } from "./entry.ts";
import type { PayloadKind, Payloads } from "./payload.ts";
import { entryText, isMatch, readQuery, snippetOf, wordsOf } from "./search-text.ts";

test("splits text into runs of letters and digits, without case and accents, and unspaced scripts into characters", () => {
  expect(wordsOf("Max_tokens: 4096, naïve ÉCOLE")).toEqual(["max", "tokens", "4096", "naive", "ecole"]);
  expect(wordsOf("abc日本語ok")).toEqual(["abc", "日", "本", "語", "ok"]);
  expect(wordsOf("İstanbul ΑΘΗΝΑ ñ n\u0303")).toEqual(["istanbul", "αθηνα", "n", "n"]);
  expect(wordsOf("... --- \u0301")).toEqual([]);
});

test("keeps characters with a meaning for the index out of words", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII but letters and digits.
      for (const word of wordsOf(text)) expect(word).toMatch(/^[^\x00-\x2f\x3a-\x60\x7b-\x7f]+$/);
    }),
  );
});

test("reads words and quoted words from any query", () => {
  expect(readQuery('find "exit code" of max_tokens')).toEqual([["find"], ["exit", "code"], ["of"], ["max", "tokens"]]);
  expect(readQuery('"unclosed quote')).toEqual([["unclosed"], ["quote"]]);
  expect(readQuery('* -- "" (')).toEqual([]);
});

test("finds any consecutive words of a text, and shows them in the snippet if they are short", () => {
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

test("shows a quarter of the snippet before the match, matches the beginning of the last word only, and marks cuts with dots", () => {
  const behind = " c".repeat(200);
  const text = `maxi connections ${"b ".repeat(200)}max connections${behind}`;
  for (const query of ['"max conn"', '"MAX connections"']) {
    expect(snippetOf(text, readQuery(query)), query).toBe(`...${"b ".repeat(25)}max connections${" c".repeat(67)}...`);
  }
  expect(snippetOf(`max connections${behind}`, readQuery("conn"))).toMatch(/^max connections c .* c\.\.\.$/);
  expect(snippetOf("nothing of it", readQuery("conn"))).toBe("nothing of it");
});

test("cuts a snippet that is short, well-formed and on one line", () => {
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

test("returns the text of a message with one text unchanged", () => {
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

test("puts parts on separate lines, names calls and media, and leaves out thinking", () => {
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

test("returns the replacement of a decision, and nothing for a request or an erased payload", () => {
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
