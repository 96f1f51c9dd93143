import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InvalidContentError } from "../errors.ts";
import { readPayload } from "../log/entry.ts";
import { attachment, toolResult, user } from "../log/messages.ts";
import type { MessagePayload } from "../log/payload.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { sqliteStore } from "../stores/sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { countReads, loseAcknowledgements } from "../stores/testing/stores.ts";
import { LOOK, openOffline } from "./testing/open-offline.ts";

const CALLS: MessagePayload = {
  role: "assistant",
  origin: "model",
  blocks: ["a", "b", "c", "d"].map((id) => ({ kind: "tool_call", id, name: "look", input: {} })),
};

async function open() {
  const store = memoryStore();
  const session = await openOffline(store, { tools: [LOOK] });
  await session.append(["Look.", CALLS]);
  const provenanceOf = async (entry: number | undefined) => {
    const [found] = await (await store.openReader("s"))!.read(entry!, entry!);
    const read = readPayload(found!);
    return read.kind === "message" || read.kind === "attachment" ? read.payload.provenance : undefined;
  };
  return { session, provenanceOf };
}

test("takes the provenance of a result from its call, unless the result has its own", async () => {
  const { session, provenanceOf } = await open();
  const provenance = { kind: "project", name: "notes" } as const;
  const [called, own, unknown] = await session.append([
    toolResult("a", "A tree."),
    { ...toolResult("b", "A lake."), provenance },
    toolResult("unknown call", "A hill."),
  ]);
  expect(await provenanceOf(called)).toEqual({ kind: "tool", name: "look" });
  expect(await provenanceOf(own)).toEqual(provenance);
  expect(await provenanceOf(unknown)).not.toMatchObject({ name: "look" });
  async function* chunks() {
    yield "A moun";
    yield "tain.";
  }
  const [streamed] = await session.append({ callId: "c", chunks: chunks(), status: "ok" });
  expect(await provenanceOf(streamed)).toEqual({ kind: "tool", name: "look" });
});

test("gives an attachment without provenance the provenance outside", async () => {
  const { session, provenanceOf } = await open();
  const { provenance: _, ...bare } = attachment("note", "Mind.");
  const [one, other] = await session.append([bare, attachment("note", "Mind.", { kind: "model" })]);
  expect(await provenanceOf(one)).toMatchObject({ kind: "outside" });
  expect(await provenanceOf(other)).toEqual({ kind: "model" });
});

test("rejects values that are not messages or attachments, and writes none of the batch", async () => {
  const { session } = await open();
  const { newestEntry } = session.history;
  for (const wrong of [
    { type: "note" },
    { type: "note", blocks: "Mind." },
    { role: "user", origin: "human" },
    { role: "user", origin: "human", blocks: "Hello." },
  ]) {
    await expect(session.append(["Before.", wrong as never])).rejects.toThrow(InvalidContentError);
  }
  expect(session.history.newestEntry).toBe(newestEntry);
});

test("resolves to the entry numbers of the content, not of its notices", async () => {
  const store = memoryStore();
  const session = await openOffline(store, { tools: [LOOK] });
  await session.append(["Look.", CALLS]);
  const broken = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "no picture" } } as const;
  const entries = await session.append([
    { role: "user", origin: "human", blocks: [broken] },
    attachment("picture", [broken]),
    "Thank you.",
  ]);
  const first = entries[0]!;
  expect(entries).toEqual([first, first + 1, first + 2]);
  // The stubs for the pictures come after all content.
  expect(session.history.newestEntry).toBeGreaterThan(first + 2);
});

describe("append with a key", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "append-once-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (store: Store, id = "s") => openOffline(store, { id });

  test("appends a list of contents, and rejects further arguments", async () => {
    const session = await open(memoryStore());
    const numbers = await session.append(["One.", attachment("note", "Two."), user("Three.")]);
    expect(numbers).toHaveLength(3);
    expect(await session.append([])).toEqual([]);
    await expect(session.append("One.", "Two." as never)).rejects.toThrow(/one list/);
    await expect(session.append("One.", { key: "" })).rejects.toThrow(/key/);
  });

  test("returns the entries of the first append with a key, even after reopening and for other content", async () => {
    const store = sqliteStore({ folder });
    const session = await open(store);
    const first = await session.append(["One.", toolResult("a", "Two.")], { key: "message-1" });
    const other = await session.append("One.", { key: "message-2" });
    expect(other).not.toEqual(first);
    const { newestEntry } = session.history;
    expect(await session.append("Something else.", { key: "message-1" })).toEqual(first);
    await session.close();
    const again = await open(store);
    expect(await again.append(["One.", toolResult("a", "Two.")], { key: "message-1" })).toEqual(first);
    expect(again.history.newestEntry).toBe(newestEntry);
    await store.close();
  });

  test("appends nothing on a retry after a lost acknowledgement", async () => {
    const store = memoryStore();
    const fragile = loseAcknowledgements(store);
    const session = await open(fragile.store);
    fragile.failing = true;
    await expect(session.append("Kept?", { key: "k" })).rejects.toThrow("the disk went away");
    fragile.failing = false;
    const [entry] = await session.append("Kept?", { key: "k" });
    expect(entry).toBe(session.history.newestEntry);
    expect(JSON.stringify((await session.prepare()).messages).match(/Kept/g)).toHaveLength(1);
  });

  test("ignores keys of appends that a rewind has undone, and respects earlier keys", async () => {
    const session = await open(memoryStore());
    const kept = await session.append("One.", { key: "1" });
    const point = session.history.newestEntry;
    const first = await session.append("Two.", { key: "2" });
    await session.history.rewind(point);
    expect(await session.append("One.", { key: "1" })).toEqual(kept);
    const second = await session.append("Two, edited.", { key: "2" });
    expect(second[0]).toBeGreaterThan(first[0]!);
    expect(await session.append("Two, edited.", { key: "2" })).toEqual(second);
    await session.history.rewind(second[0]! - 1);
    await session.append("Three.", { key: "3" });
    expect(await session.append("One.", { key: "1" })).toEqual(kept);
  });

  test("shares the keys of the parent with a fork, and keeps the fork's own keys separate", async () => {
    const session = await open(memoryStore());
    const kept = await session.append("One.", { key: "1" });
    await session.prepare();
    const fork = await session.fork({ source: "test", id: "fork" });
    expect(await fork.append("One.", { key: "1" })).toEqual(kept);
    const own = await fork.append("Two.", { key: "2" });
    expect(await fork.append("Two.", { key: "2" })).toEqual(own);
    expect(await session.append("Two.", { key: "2" })).not.toEqual(own);
  });

  test("reads no entries for a key in a session of any length", async () => {
    const store = memoryStore();
    const session = await open(store);
    await session.append(
      Array.from({ length: 2_000 }, (_, index) => `Message ${index}.`),
      { key: "all" },
    );
    await session.close();
    const counting = countReads(store);
    const again = await open(counting.store);
    counting.read = 0;
    expect(await again.append("Message 0.", { key: "all" })).toHaveLength(2_000);
    await again.append("One more.", { key: "one more" });
    expect(counting.read).toBe(0);
  });
});
