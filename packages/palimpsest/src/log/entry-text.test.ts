import fc from "fast-check";
import { expect, test } from "vitest";
import { toDraft } from "./draft.ts";
import { EMPTY_LOG, type Entry, sealEntries } from "./entry.ts";
import type { PayloadKind, Payloads } from "./payload.ts";
import { entryText } from "./search-text.ts";

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
