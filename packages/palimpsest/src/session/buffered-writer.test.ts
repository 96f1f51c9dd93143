import { expect, test } from "vitest";
import { toDraft } from "../log/draft.ts";
import { EMPTY_LOG, type Entry, type LogHead, sealEntries } from "../log/entry.ts";
import { notice } from "../log/messages.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import { createBufferedWriter } from "./recorder.ts";

async function open() {
  const store = memoryStore();
  const result = await store.openWriter("s", { owner: "test" });
  if (result.kind !== "opened") throw new Error("busy");
  const writer = await createBufferedWriter(result.writer);
  let head: LogHead = EMPTY_LOG;
  const add = async (count: number, more = ""): Promise<readonly Entry[]> => {
    const drafts = Array.from({ length: count }, (_, index) => toDraft("message", notice(`word${index}${more}`)));
    const entries = sealEntries(drafts, { head, atMs: 0, digest: sha256 });
    const result = await writer.append(entries);
    expect(result.kind).toBe("appended");
    head = entries.at(-1)!;
    return entries;
  };
  const stored = async (): Promise<number> => (await (await store.openReader("s"))!.head()).sequence;
  return { store, writer, add, stored };
}

test("what is held is read like what is written", async () => {
  const { writer, add, stored } = await open();
  const first = await add(500);
  expect(await stored()).toBe(500);
  const second = await add(3);
  expect(await stored()).toBe(500);
  expect(await writer.head()).toMatchObject({ sequence: 503 });
  expect(await writer.read(499, 502)).toEqual([...first.slice(-2), ...second.slice(0, 2)]);
  expect(await writer.read(501, 501)).toEqual(second.slice(0, 1));
  expect(await writer.read(502, 503)).toEqual(second.slice(1));
  expect(await writer.newest("message")).toEqual(second.at(-1));
  expect(await writer.newest("message", 501)).toEqual(first.at(-1));
  expect(await writer.newest("boundary")).toBeUndefined();
  expect((await writer.search("word2", { limit: 1 }))[0]).toMatchObject({ sequence: 503 });
});

test("closing writes the rest; another writer fences it", async () => {
  const { writer, add, stored } = await open();
  await add(3);
  await writer.close();
  expect(await stored()).toBe(3);

  const other = await open();
  await other.add(3);
  await other.store.openWriter("s", { owner: "other", takeover: "always" });
  expect(await other.writer.flush()).toMatchObject({ kind: "fenced" });
  expect(await other.stored()).toBe(0);
});

test("entries that do not follow are refused", async () => {
  const { writer, add } = await open();
  const entries = await add(2);
  expect(await writer.append(entries)).toMatchObject({ kind: "out-of-order", head: { sequence: 2 } });
  expect(await writer.append([])).toMatchObject({ kind: "appended" });
});

test("few entries are written at once where they are large", async () => {
  const { writer, add, stored } = await open();
  await add(1, "x".repeat(4_500_000));
  expect(await stored()).toBe(0);
  await add(1, "x".repeat(4_500_000));
  expect(await stored()).toBe(2);
  // What was written counts no more.
  await add(1, "x".repeat(4_500_000));
  expect(await stored()).toBe(2);
  expect(await writer.flush()).toMatchObject({ kind: "appended", head: { sequence: 3 } });
  expect(await stored()).toBe(3);
});

test("what is held can be erased", async () => {
  const { writer, add, stored } = await open();
  await add(3);
  await writer.erase(2);
  expect(await stored()).toBe(3);
  expect((await writer.read(1, 3)).map(({ payload }) => payload === undefined)).toEqual([false, true, false]);
});
