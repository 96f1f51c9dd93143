import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attachment, toolResult, user } from "../log/messages.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { sqliteStore } from "../stores/sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { countReads, loseAcknowledgements } from "../stores/testing/stores.ts";
import { openOffline } from "./testing/open-offline.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "append-once-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (store: Store, id = "s") => openOffline(store, { id });

test("several contents are appended as one list, and nothing else is taken for options", async () => {
  const session = await open(memoryStore());
  const numbers = await session.append(["One.", attachment("note", "Two."), user("Three.")]);
  expect(numbers).toHaveLength(3);
  expect(await session.append([])).toEqual([]);
  await expect(session.append("One.", "Two." as never)).rejects.toThrow(/one list/);
  await expect(session.append("One.", { key: "" })).rejects.toThrow(/key/);
});

test("a key that was used gives the entries of the first time, also after reopening, and whatever is said", async () => {
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

test("a retry of an append whose acknowledgement was lost appends nothing", async () => {
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

test("an append that a rewind has taken back does not count, one before it does", async () => {
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

test("a fork knows its parent's keys, and has its own", async () => {
  const session = await open(memoryStore());
  const kept = await session.append("One.", { key: "1" });
  await session.prepare();
  const fork = await session.fork({ source: "test", id: "fork" });
  expect(await fork.append("One.", { key: "1" })).toEqual(kept);
  const own = await fork.append("Two.", { key: "2" });
  expect(await fork.append("Two.", { key: "2" })).toEqual(own);
  expect(await session.append("Two.", { key: "2" })).not.toEqual(own);
});

test("what a key costs does not depend on how long the session is", async () => {
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
