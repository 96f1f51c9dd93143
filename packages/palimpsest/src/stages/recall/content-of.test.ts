import { expect, test } from "vitest";
import type { Entry } from "../../log/entry.ts";
import type { Payloads } from "../../log/payload.ts";
import { sealEntries } from "../../log/seal-entries.ts";
import { toDraft } from "../../log/to-draft.ts";
import { memoryResults } from "../../stores/memory-results.ts";
import { sha256 } from "../../stores/sha256.ts";
import { contentOf } from "./content-of.ts";

function entryOf<Kind extends keyof Payloads>(kind: Kind, payload: Payloads[Kind]): Entry {
  const head = { sequence: 6, hash: "" };
  return sealEntries([toDraft(kind, payload)], { head, atMs: 0, digest: sha256 })[0]!;
}

const said = (text: string): Entry =>
  entryOf("message", { role: "user", origin: "human", blocks: [{ kind: "text", text }] });

/** An entry that shows a preview, and whose content was stored in these chunks. */
async function stored(chunks: readonly Uint8Array[], claimedBytes?: number) {
  const files = memoryResults();
  const draft = await files.create("s");
  for (const chunk of chunks) await draft.write(chunk);
  const { file, digest } = await draft.keep("txt");
  const bytes = claimedBytes ?? chunks.reduce((sum, { length }) => sum + length, 0);
  const blocks = [{ kind: "text", text: "preview" }] as const;
  const entry = entryOf("message", { role: "user", origin: "tool", blocks, stored: { file, bytes, lines: 1, digest } });
  return { files, file, entry };
}

async function textOf(found: Awaited<ReturnType<typeof contentOf>>): Promise<string> {
  if (found.kind !== "content") throw new Error(`it is ${found.kind}`);
  let all = "";
  for await (const piece of found.pieces) all += piece;
  return all;
}

test("an entry of the log is its text, and one without text says its kind", async () => {
  expect(await textOf(await contentOf(said("words"), { session: "s" }))).toBe("words");
  expect(await textOf(await contentOf(said(""), { session: "s" }))).toBe("");
  const request = entryOf("request", { maxTokens: 1, estimatedTokens: 1 });
  expect(await contentOf(request, { session: "s" })).toEqual({ kind: "no-text", entry: 7, entryKind: "request" });
  const later = { ...said("words"), version: 999 };
  expect(await contentOf(later, { session: "s" })).toEqual({ kind: "no-text", entry: 7, entryKind: "message" });
  const erased = { ...said("words"), payload: undefined };
  expect(await contentOf(erased, { session: "s" })).toEqual({ kind: "erased", entry: 7 });
});

test("stored content is read from its file, whatever its bytes", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  for (const [text, content] of [
    ["all of it\n", bytes("all of it\n")],
    ["\ufeffü😀", bytes("\ufeffü😀")],
    ["a\ufffdb", Uint8Array.of(0x61, 0xff, 0x62)],
    // A character that is cut off at the end is not lost without a trace.
    ["a\ufffd", Uint8Array.of(0x61, 0xc3)],
  ] as const) {
    const { files, entry } = await stored([content]);
    expect(await textOf(await contentOf(entry, { files, session: "s" }))).toBe(text);
    // One byte at a time: a character lies in several chunks.
    const split = { ...files, find: async () => ({ bytes: content.length, chunks: () => each(content) }) };
    expect(await textOf(await contentOf(entry, { files: split, session: "s" }))).toBe(text);
  }
});

async function* each(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const byte of content) yield Uint8Array.of(byte);
}

test("a file that is gone or changed is not taken for what was stored", async () => {
  const { files, file, entry } = await stored([new TextEncoder().encode("four")]);
  const expired = { kind: "expired", entry: 7, file, bytes: 4 };
  expect(await contentOf(entry, { session: "s" })).toEqual(expired);
  expect(await contentOf(entry, { files, session: "another" })).toEqual(expired);
  for (const bytes of [3, 5]) {
    const other = await stored([new TextEncoder().encode("four")], bytes);
    const found = await contentOf(other.entry, { files: other.files, session: "s" });
    expect(found).toEqual({ kind: "changed", entry: 7, file, bytes, nowBytes: 4 });
  }
});
