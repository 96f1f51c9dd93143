import { expect, test } from "vitest";
import { toDraft } from "../log/draft.ts";
import { sealEntries } from "../log/entry.ts";
import { memoryResults } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import { contentOf } from "./read.ts";

/** An entry that shows a preview, and whose content was stored. */
async function stored(content: Uint8Array) {
  const files = memoryResults();
  const draft = await files.create("s");
  await draft.write(content);
  const { file, digest } = await draft.keep("txt");
  const blocks = [{ kind: "text", text: "preview" }] as const;
  const known = { file, bytes: content.length, lines: 1, digest };
  const message = toDraft("message", { role: "user", origin: "tool", blocks, stored: known });
  const [entry] = sealEntries([message], { head: { sequence: 6, hash: "" }, atMs: 0, digest: sha256 });
  return { files, entry: entry! };
}

async function textOf(found: Awaited<ReturnType<typeof contentOf>>): Promise<string> {
  if (found.kind !== "content") throw new Error(`it is ${found.kind}`);
  let all = "";
  for await (const piece of found.pieces) all += piece;
  return all;
}

test("stored content is read from its file, whatever its bytes", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  for (const [text, content] of [
    ["all of it\n", bytes("all of it\n")],
    ["\ufeffü😀", bytes("\ufeffü😀")],
    ["a\ufffdb", Uint8Array.of(0x61, 0xff, 0x62)],
    // A character that is cut off at the end is not lost without a trace.
    ["a\ufffd", Uint8Array.of(0x61, 0xc3)],
  ] as const) {
    const { files, entry } = await stored(content);
    expect(await textOf(await contentOf(entry, { files, session: "s" }))).toBe(text);
    // One byte at a time: a character lies in several chunks.
    const split = { ...files, find: async () => ({ bytes: content.length, chunks: () => each(content) }) };
    expect(await textOf(await contentOf(entry, { files: split, session: "s" }))).toBe(text);
  }
});

async function* each(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const byte of content) yield Uint8Array.of(byte);
}
