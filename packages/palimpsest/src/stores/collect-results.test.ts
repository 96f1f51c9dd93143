import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sealEntries, toDraft } from "../log/entry.ts";
import { type CollectOptions, collectResults } from "./collect-results.ts";
import { memoryStore } from "./memory-store.ts";
import { sha256 } from "./sha256.ts";
import { sqliteStore } from "./sqlite-store.ts";
import type { LogWriter, Store } from "./store.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 20_000 * DAY_MS;
let nowMs: number;
let store: Store;

beforeEach(() => {
  nowMs = NOW_MS;
  store = memoryStore({ clock: { now: () => nowMs } });
});

/** Stores results of a session with an age in days. */
async function keep(session: string, ageDays: number, bytes = 100): Promise<void> {
  nowMs = NOW_MS - ageDays * DAY_MS;
  const draft = await store.results.create(session);
  await draft.write(new TextEncoder().encode("x".repeat(bytes)));
  await draft.keep("txt");
  nowMs = NOW_MS;
}

/** Creates a log whose newest entry has an age in days. */
async function write(session: string, ageDays: number, fork?: string): Promise<LogWriter> {
  const opened = await store.openWriter(session, { owner: "test" });
  if (opened.kind === "busy") throw new Error("a new log is busy");
  const draft =
    fork === undefined
      ? toDraft("message", { role: "user", origin: "human", blocks: [] })
      : toDraft("fork", { session: fork, sequence: 1, hash: "h", source: "agent" });
  const head = await opened.writer.head();
  const atMs = NOW_MS - ageDays * DAY_MS;
  await opened.writer.append(sealEntries([draft], { head, atMs, digest: sha256 }));
  return opened.writer;
}

const collect = (options: CollectOptions = {}) => collectResults(store, { nowMs: NOW_MS, ...options });
const left = async (): Promise<string[]> => (await Array.fromAsync(store.results.sessions())).sort();

test("removes the results of a session if its newest result is too old", async () => {
  await keep("young", 29);
  await keep("old", 31);
  await keep("both", 400, 200);
  await keep("both", 1);
  expect(await collect()).toEqual({
    removed: [{ session: "old", bytes: 100, why: "age" }],
    keptBytes: 400,
    failures: [],
  });
  expect(await left()).toEqual(["both", "young"]);
});

test("keeps the results of sessions that are used or open, or have such a fork", async () => {
  for (const session of ["used", "open", "forked", "open-fork", "over"]) await keep(session, 400);
  for (const session of ["forked", "open-fork", "over"]) await (await write(session, 300)).close();
  await (await write("used", 2)).close();
  await write("open", 300);
  await (await write("young-child", 3, "forked")).close();
  await write("open-child", 200, "open-fork");
  await (await write("old-child", 200, "over")).close();
  expect((await collect()).removed).toEqual([{ session: "over", bytes: 100, why: "age" }]);
  expect(await left()).toEqual(["forked", "open", "open-fork", "used"]);
});

test("removes the least recently used results until the rest fits", async () => {
  for (const [session, age] of Object.entries({ a: 3, b: 4, c: 2, d: 5 })) await keep(session, age);
  await write("d", 5);
  const { removed, keptBytes } = await collect({ maxBytes: 250 });
  expect(removed.map(({ session, why }) => [session, why])).toEqual([
    ["b", "size"],
    ["a", "size"],
  ]);
  expect(keptBytes).toBe(200);
  expect(await left()).toEqual(["c", "d"]);
});

test("opens no log if all results are recent and small", async () => {
  await keep("s", 1);
  const closed = () => Promise.reject(new Error("a log was opened"));
  store = { ...store, openReader: closed, openWriter: closed, list: closed, writerOf: closed };
  expect(await collect()).toEqual({ removed: [], keptBytes: 100, failures: [] });
});

test("reports failures and continues; stops at an abort", async () => {
  for (const session of ["a", "b", "c"]) await keep(session, 50);
  const { results, openReader } = store;
  const damaged: typeof openReader = (session) =>
    session === "c" ? Promise.reject(new Error("damaged")) : openReader(session);
  const remove: typeof results.remove = (session) =>
    session === "b" ? Promise.reject(new Error("not permitted")) : results.remove(session);
  store = { ...store, openReader: damaged, results: { ...results, remove } };
  expect(await collect({ signal: AbortSignal.abort() })).toMatchObject({ removed: [] });
  const { removed, failures, keptBytes } = await collect();
  expect(removed.map(({ session }) => session)).toEqual(["a"]);
  expect(failures.map(({ session, error }) => `${session}: ${error.message}`)).toEqual([
    "c: damaged",
    "b: not permitted",
  ]);
  expect(keptBytes).toBe(200);
});

let folder: string;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

test("does not follow links, and keeps files that are not results", async () => {
  folder = mkdtempSync(join(tmpdir(), "collect-results-"));
  store = sqliteStore({ folder });
  expect(await collect()).toEqual({ removed: [], keptBytes: 0, failures: [] });
  const outside = join(folder, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "precious"), "x");
  mkdirSync(join(folder, "tool-results", "not ours"), { recursive: true });
  symlinkSync(outside, join(folder, "tool-results", "link"));
  const draft = await store.results.create("Session");
  const { file } = await draft.keep("txt");
  // An incomplete file from a process that died.
  writeFileSync(join(folder, "tool-results", "+session", ".new-x"), "x".repeat(50));
  const later = { nowMs: Date.now() + 31 * DAY_MS, maxBytes: 0 };
  expect(await collect(later)).toEqual({
    removed: [{ session: "Session", bytes: 50, why: "age" }],
    keptBytes: 0,
    failures: [],
  });
  expect(await store.results.find("Session", file)).toBeUndefined();
  expect(() => rmSync(join(outside, "precious"))).not.toThrow();
  expect(() => rmSync(join(folder, "tool-results", "not ours"), { recursive: true })).not.toThrow();
  await store.close();
});
