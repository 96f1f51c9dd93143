import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EMPTY_LOG, type Entry, sealEntries } from "../../log/entry.ts";

import { sha256 } from "../sha256.ts";
import { type ConnectionPool, createConnectionPool } from "./connections.ts";
import { appendEntries, readHead, readRange } from "./log.ts";
import { createLogFiles } from "./log-file.ts";

let folder: string;
let pool: ConnectionPool;
let path: string;
let other: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "connection-pool-"));
  pool = createConnectionPool({ maxOpenFiles: 1 });
  path = join(folder, "s.sqlite");
  other = join(folder, "other.sqlite");
  for (const file of [path, other]) createLogFiles(folder).create(file);
});

afterEach(() => {
  pool.close();
  rmSync(folder, { recursive: true });
});

function append(text: string): readonly Entry[] {
  const drafts = [{ kind: "note", version: 1, payload: JSON.stringify(text) }];
  const entries = sealEntries(drafts, { head: pool.use(path, readHead), atMs: 0, digest: sha256 });
  // The fence of a log that was never opened for writing.
  expect(pool.use(path, (connection) => appendEntries(connection, { fence: 0, entries, nowMs: 0 })).kind).toBe(
    "appended",
  );
  return entries;
}

const makeRoom = (): unknown => pool.use(other, readHead);
const walBytes = (): number => (existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0);

test("keeps the -wal of a file that is closed to make room, and continues with it", () => {
  const first = append("one");
  const before = walBytes();
  const file = readFileSync(path);
  makeRoom();
  expect(walBytes()).toBe(before);
  expect(readFileSync(path).equals(file)).toBe(true);
  const second = append("two");
  expect(walBytes()).toBeGreaterThan(before);
  makeRoom();
  // Another process would find this state if this process died now.
  const copy = join(folder, "copy.sqlite");
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
  expect(pool.use(copy, (connection) => readRange(connection, { from: 1, to: 9 }))).toEqual([...first, ...second]);
});

test("writes a large -wal into the file", () => {
  const [entry] = append("x".repeat(300_000));
  makeRoom();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(pool.use(path, readHead)).toEqual({ sequence: 1, hash: entry!.hash });
});

test("leaves only the log file after drop", () => {
  append("one");
  makeRoom();
  pool.use(path, readHead);
  pool.drop(path);
  expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false]);
});

test("refuses a file that was replaced while it was closed, and does not change it", () => {
  append("one");
  makeRoom();
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix);
  const foreign = join(folder, "foreign.sqlite");
  const database = new DatabaseSync(foreign);
  database.exec("PRAGMA journal_mode=WAL; CREATE TABLE theirs (id INTEGER)");
  database.close();
  const bytes = readFileSync(foreign);
  renameSync(foreign, path);
  expect(() => pool.use(path, readHead)).toThrow("belongs to another program");
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(pool.use(other, readHead)).toEqual(EMPTY_LOG);
});
