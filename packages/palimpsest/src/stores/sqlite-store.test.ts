import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkChain, EMPTY_LOG, type Entry, type LogHead, sealEntries } from "../log/entry.ts";

import { sha256 } from "./sha256.ts";
import { salvageLog, sqliteStore } from "./sqlite-store.ts";
import type { LogReader, LogWriter, Store } from "./store.ts";
import { manualStoreClock, testStore } from "./test-store.ts";

testStore({
  test,
  async place() {
    const root = mkdtempSync(join(tmpdir(), "sqlite-store-"));
    const clock = manualStoreClock();
    const leaseMs = 3_000;
    return {
      open: async () => sqliteStore({ folder: join(root, "logs"), clock, leaseMs }),
      advanceClock: clock.advance,
      stall: clock.stall,
      leaseMs,
      remove: async () => rmSync(root, { recursive: true }),
    };
  },
});

let root: string;
let folder: string;
let path: string;
let store: Store;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sqlite-store-"));
  folder = join(root, "new", "logs");
  path = join(folder, "s.sqlite");
  store = sqliteStore({ folder });
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

describe("the file", () => {
  test("refuses changes to entries by any program", async () => {
    await (await openWriter(store)).append(seal(3));
    const database = new DatabaseSync(path);
    const refused: [sql: string, why: RegExp][] = [
      ["DELETE FROM entry", /never deleted/],
      ["DELETE FROM entry WHERE sequence = 3", /never deleted/],
      ["UPDATE entry SET payload = 'x'", /never change/],
      ["UPDATE entry SET payload = NULL, kind = 'x' WHERE sequence = 1", /never change/],
      ["UPDATE entry SET sequence = 9 WHERE sequence = 3", /never change/],
      ["UPDATE OR REPLACE entry SET rowid = 1 WHERE sequence = 3", /never change/],
      ["UPDATE entry SET hash = 'x' WHERE sequence = 1", /never change/],
      [insert("1"), /only added at the end/],
      [insert("5"), /only added at the end/],
      [insert("NULL"), /only added at the end/],
      [insert("3").replace("INSERT", "INSERT OR REPLACE"), /only added at the end/],
      [insert("'x'"), /datatype mismatch/],
      ["UPDATE writer SET fence = fence - 1", /never falls/],
      ["DELETE FROM writer", /never deleted/],
      ["INSERT OR REPLACE INTO writer VALUES (1, 0, '', 0, 'closed', 0, '')", /one writer row/],
    ];
    for (const [sql, why] of refused) expect(() => database.exec(sql), sql).toThrow(why);
    database.exec("UPDATE entry SET payload = NULL WHERE sequence = 2");
    database.close();
    const left = await (await openReader(store)).read(1, 9);
    expect(left).toEqual(seal(3).map((entry) => (entry.sequence === 2 ? { ...entry, payload: undefined } : entry)));
  });

  test.each([0o000, 0o077, 0o777])("is readable only by its owner under umask %o", async (mask) => {
    const before = process.umask(0);
    try {
      const script = `const { sqliteStore } = await import(${JSON.stringify(import.meta.resolve("./sqlite-store.ts"))});
        process.umask(${mask});
        const store = sqliteStore({ folder: ${JSON.stringify(folder)} });
        const { writer } = await store.openWriter("s", { owner: "child" });
        await writer.append(${JSON.stringify(seal(1))});
        process.exit(0);`;
      execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script]);
    } finally {
      process.umask(before);
    }
    expect(modeOf(folder)).toBe(0o700);
    expect(modeOf(join(root, "new"))).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual([
      ...["", "-shm", "-wal"].map((suffix) => `s.sqlite${suffix}`),
      "writers",
    ]);
    expect(modeOf(join(folder, "writers"))).toBe(0o700);
    for (const name of readdirSync(join(folder, "writers"))) expect(modeOf(join(folder, "writers", name))).toBe(0o600);
    for (const suffix of ["", "-wal", "-shm"]) expect(modeOf(path + suffix), suffix).toBe(0o600);
    chmodSync(path, 0o644);
    await openWriter(store, { takeover: "always" });
    expect(modeOf(path)).toBe(0o600);
  });

  test("keeps the mode of an existing folder", async () => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    await openWriter(store);
    expect(modeOf(folder)).toBe(0o755);
  });

  test("leaves no other files after close", async () => {
    const writer = await openWriter(store);
    await writer.append(seal(1));
    await writer.close();
    const reader = await openReader(store);
    await reader.head();
    await reader.close();
    expect(readdirSync(folder)).toEqual(["s.sqlite"]);
  });

  test("of another program or of a later format is refused and stays unchanged", async () => {
    mkdirSync(folder, { recursive: true });
    for (const [sql, why] of [
      ["PRAGMA user_version=1", /application id 0 .*another program/],
      [`PRAGMA application_id=${0x50614c6f}; PRAGMA user_version=2`, /format 2: this version reads format 1/],
    ] as const) {
      const database = new DatabaseSync(path);
      database.exec(`PRAGMA journal_mode=WAL; CREATE TABLE mine (a); ${sql}`);
      database.close();
      const bytes = readFileSync(path);
      await expect(store.openWriter("s", { owner: "x" })).rejects.toMatchObject({ code: "log-format", path });
      await expect(store.openReader("s")).rejects.toThrow(why);
      expect(readFileSync(path).equals(bytes)).toBe(true);
      expect(readdirSync(folder)).toEqual(["s.sqlite"]);
      rmSync(path);
    }
  });

  test("that is empty or not a database is reported as damaged and not overwritten", async () => {
    mkdirSync(folder, { recursive: true });
    for (const bytes of [Buffer.alloc(0), Buffer.from("hello"), Buffer.alloc(5000, 1)]) {
      writeFileSync(path, bytes);
      await expect(store.openWriter("s", { owner: "x" })).rejects.toMatchObject({ code: "damaged-log", path });
      await expect(store.openReader("s")).rejects.toThrow(/salvageLog/);
      expect(readFileSync(path).equals(bytes)).toBe(true);
    }
  });

  test("that is damaged is reported by expire, which continues with other sessions", async () => {
    for (const session of ["a", "b", "c"]) await (await openWriter(store, { session })).close();
    writeFileSync(join(folder, "b.sqlite"), "no database");
    const { deleted, kept } = await store.expire({ silentSinceMs: Number.POSITIVE_INFINITY });
    expect(deleted).toEqual(["a", "c"]);
    expect(kept).toMatchObject([{ id: "b", why: "failed", error: { code: "damaged-log" } }]);
  });

  test("no longer contains an erased payload, not even in the -wal", async () => {
    const writer = await openWriter(store);
    const secret = "correct horse battery staple ".repeat(1_000);
    const entries = sealEntries(
      ["a", secret, "b"].map((payload) => ({ kind: "k", version: 1, payload: JSON.stringify(payload) })),
      { head: EMPTY_LOG, atMs: 1, digest: sha256 },
    );
    await writer.append(entries);
    await writer.erase(2);
    for (const name of readdirSync(folder).filter((one) => one !== "writers"))
      expect(readFileSync(join(folder, name), "latin1")).not.toContain("battery");
  });
});

test("a flipped bit is reported when its entry is read, and other entries stay readable", async () => {
  const writer = await openWriter(store);
  await writer.append(
    sealEntries(
      ["first", "second", "third"].map((text) => ({
        kind: text,
        version: 1,
        payload: JSON.stringify(text.repeat(900)),
      })),
      { head: EMPTY_LOG, atMs: 1, digest: sha256 },
    ),
  );
  await store.close();
  const bytes = readFileSync(path);
  bytes.write("X", bytes.lastIndexOf("secondsecond"));
  writeFileSync(path, bytes);
  store = sqliteStore({ folder });
  const reader = await openReader(store);
  await expect(reader.read(1, 3)).rejects.toMatchObject({ code: "damaged-log", path });
  await expect(reader.newest("second")).rejects.toThrow(/payload of entry 2/);
  expect(await reader.read(1, 1)).toHaveLength(1);
  expect(await reader.read(3, 3)).toHaveLength(1);
  const { entries, missing } = await salvageLog(path, { digest: sha256 });
  expect([entries.length, missing]).toEqual([2, [2]]);
});

describe("sqliteStore", () => {
  test.each([
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "a\0b",
    "-rf",
    ".hidden",
    "ü",
    "a b",
    "a:b",
    "x".repeat(101),
    "s\n",
  ])("refuses the id %j", async (session) => {
    const error = { code: "unsafe-session-id", session };
    await expect(store.openWriter(session, { owner: "x" })).rejects.toMatchObject(error);
    await expect(store.openReader(session)).rejects.toThrow(/A-Z a-z 0-9/);
    expect(readdirSync(root)).toEqual([]);
  });

  test("separates ids that differ only in case", async () => {
    for (const session of ["Ab", "ab", "aB", "x".repeat(100), "X".repeat(100), "a.b-c_d"])
      await openWriter(store, { session });
    expect((await store.list()).sessions.map(({ id }) => id)).toEqual([
      "Ab",
      "X".repeat(100),
      "a.b-c_d",
      "aB",
      "ab",
      "x".repeat(100),
    ]);
    const names = readdirSync(folder).map((name) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
  });

  test("refuses entries that it could not return unchanged", async () => {
    const writer = await openWriter(store);
    const [entry] = seal(1) as [Entry];
    for (const [field, value] of [
      ["payload", '"\ud83d"'],
      ["payload", '"\0"'],
      ["kind", "a\0b"],
      ["version", 1.5],
      ["atMs", Number.NaN],
    ] as const)
      await expect(writer.append([{ ...entry, [field]: value }])).rejects.toMatchObject({
        code: "invalid-entry",
        field,
      });
    expect(await writer.head()).toEqual(EMPTY_LOG);
    const odd = sealEntries([{ kind: "é\n", version: 0, payload: "\ufeff" }], {
      head: EMPTY_LOG,
      atMs: -1.25,
      digest: sha256,
    });
    await writer.append(odd);
    expect(await writer.read(1, Number.POSITIVE_INFINITY)).toEqual(odd);
  });
});

describe("after a fault", () => {
  test("a closed log throws ClosedLogError", async () => {
    const writer = await openWriter(store);
    await writer.close();
    await writer.close();
    await expect(writer.append([])).rejects.toMatchObject({ code: "closed-log", path });
    await store.close();
    await expect(store.openReader("s")).rejects.toMatchObject({ code: "closed-log" });
  });

  test("a writer refuses to write to a log that was removed or replaced", async () => {
    const writer = await openWriter(store);
    await writer.append(seal(1));
    renameSync(path, `${path}.moved`);
    const missing = { code: "storage-failed", reason: "missing", path };
    await expect(writer.append(seal(1, headOf(seal(1))))).rejects.toMatchObject(missing);
    await expect(writer.head()).rejects.toMatchObject(missing);
    expect(readdirSync(folder)).not.toContain("s.sqlite");
    // After the file is restored, the writer continues.
    renameSync(`${path}.moved`, path);
    expect(await writer.append(seal(1, headOf(seal(1))))).toMatchObject({ kind: "appended", head: { sequence: 2 } });
  });

  test("the acknowledged appends of a killed process are in the log", async () => {
    for (let round = 0; round < 5; round++) {
      const acknowledged = await appendUntilKilled(folder, 40 + 30 * round);
      const writer = await openWriter(store, { takeover: "always" });
      const entries = await writer.read(1, 1e9);
      expect(entries.length).toBeGreaterThanOrEqual(acknowledged);
      expect(checkChain(entries, EMPTY_LOG, sha256)).toEqual([]);
      expect(await writer.head()).toEqual(headOf(entries));
      await writer.close();
    }
  });

  test("an append waits for the lock of another process, then reports it", async () => {
    const short = sqliteStore({ folder, lockTimeoutMs: 50 });
    const writer = await openWriter(short);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(writer.append(seal(1))).rejects.toMatchObject({ code: "storage-failed", reason: "locked", path });
    expect(await writer.head()).toEqual(EMPTY_LOG);
    const waiting = writer.append(seal(1));
    other.exec("ROLLBACK");
    other.close();
    expect(await waiting).toMatchObject({ kind: "appended" });
    await short.close();
  });

  test("many more sessions than open files keep their fences and entries", async () => {
    const small = sqliteStore({ folder, maxOpenFiles: 3 });
    const writers: LogWriter[] = [];
    for (let index = 0; index < 20; index++) writers.push(await openWriter(small, { session: `s${index}` }));
    for (let round = 0; round < 3; round++) {
      for (const writer of writers) {
        const head = await writer.head();
        expect(await writer.append(seal(1, head))).toMatchObject({ kind: "appended", head: { sequence: round + 1 } });
      }
    }
    const thief = await openWriter(store, { session: "s7", takeover: "always" });
    for (const [index, writer] of writers.entries())
      expect((await writer.append(seal(1, await writer.head()))).kind).toBe(index === 7 ? "fenced" : "appended");
    expect(thief.fence).toBe(2);
    await small.close();
  });
});

/** Kills the child after it has reported this number of appends; returns the number of appends that it reported. */
async function appendUntilKilled(logs: string, count: number): Promise<number> {
  const script = `const { sqliteStore } = await import(${JSON.stringify(import.meta.resolve("./sqlite-store.ts"))});
    const { sealEntries } = await import(${JSON.stringify(import.meta.resolve("../log/entry.ts"))});
    const { sha256 } = await import(${JSON.stringify(import.meta.resolve("./sha256.ts"))});
    const store = sqliteStore({ folder: ${JSON.stringify(logs)} });
    const { writer } = await store.openWriter("s", { owner: "child", takeover: "always" });
    for (let head = await writer.head(); ; ) {
      const drafts = [1, 2].map(() => ({ kind: "message", version: 1, payload: JSON.stringify("x".repeat(3000)) }));
      ({ head } = await writer.append(sealEntries(drafts, { head, atMs: 1, digest: sha256 })));
      process.stdout.write(head.sequence + "\\n");
      // Lets the process notice a closed pipe, so that it ends with its parent.
      await new Promise(setImmediate);
    }`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script]);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.split("\n").length > count) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.on("close", resolve));
  return Number(text.split("\n").at(-2));
}

interface OpenOptions {
  readonly session?: string;
  readonly takeover?: "always";
}

async function openWriter(from: Store, { session = "s", ...options }: OpenOptions = {}): Promise<LogWriter> {
  const result = await from.openWriter(session, { owner: "test", ...options });
  if (result.kind === "busy") throw new Error(`busy: ${result.owner}`);
  return result.writer;
}

async function openReader(from: Store): Promise<LogReader> {
  const reader = await from.openReader("s");
  if (reader === undefined) throw new Error("the log does not exist");
  return reader;
}

function seal(count: number, head: LogHead = EMPTY_LOG, text = "text"): Entry[] {
  const drafts = Array.from({ length: count }, () => ({ kind: "message", version: 1, payload: JSON.stringify(text) }));
  return sealEntries(drafts, { head, atMs: 1_700_000_000_000, digest: sha256 });
}

function headOf(entries: readonly Entry[]): LogHead {
  const { sequence, hash } = entries.at(-1) ?? EMPTY_LOG;
  return { sequence, hash };
}

function modeOf(of: string): number {
  return statSync(of).mode & 0o777;
}

function insert(sequence: string): string {
  return `INSERT INTO entry VALUES (${sequence}, 0, 'k', 1, 1, 'd', 'h', 0, 0, '1')`;
}
