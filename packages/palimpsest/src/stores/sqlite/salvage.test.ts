import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EMPTY_LOG, type Entry, sealEntries } from "../../log/entry.ts";

import { sha256 } from "../sha256.ts";
import { sqliteStore } from "../sqlite-store.ts";
import { DamagedLogError, LogFormatError } from "./errors.ts";
import { PAGE_SIZE_BYTES } from "./file-format.ts";
import { readTableLeaf } from "./pages.ts";
import { salvageLog } from "./salvage.ts";

const CASES = process.env["PALIMPSEST_SLOW"] ? 5_000 : 40;
const TIMEOUT_MS = 600_000 + CASES * 200;
const folder = mkdtempSync(join(tmpdir(), "salvage-"));
const original = join(folder, "original");
const damaged = join(folder, "s.sqlite");
let entries: Entry[];
/** Returns the pages of each entry in the file without its -wal. */
let pagesOf: Map<number, readonly number[]>;

beforeAll(async () => {
  const store = sqliteStore({ folder });
  const opened = await store.openWriter("s", { owner: "test" });
  if (opened.kind !== "opened") throw new Error("busy");
  const drafts = Array.from({ length: 120 }, (_, index) => ({
    kind: index % 7 === 0 ? "usage" : "message",
    version: 1,
    payload: JSON.stringify({ text: `${index} ü😀`.repeat(index % 11 === 0 ? 2_000 : 1 + (index % 40)) }),
  }));
  entries = sealEntries(drafts, { head: EMPTY_LOG, atMs: 1_700_000_000_123, digest: sha256 });
  await opened.writer.append(entries.slice(0, 50));
  await opened.writer.append(entries.slice(50));
  await opened.writer.erase(17);
  entries = entries.map((entry) => (entry.sequence === 17 ? { ...entry, payload: undefined } : entry));
  await store.close();
  copyFileSync(damaged, original);
  pagesOf = mapPages(readFileSync(original));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("salvageLog", () => {
  test("returns all entries of an intact log, without problems", async () => {
    expect(await salvageLog(original, { digest: sha256 })).toEqual({ entries, missing: [], problems: [] });
    expect(pagesOf.size).toBe(entries.length);
  });

  test(`returns the entries on undamaged pages, and no wrong entries (${CASES} flips)`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const random = createRandom(20_261_115);
    const bytes = readFileSync(original);
    for (let index = 0; index < CASES; index++) {
      const broken = Buffer.from(bytes);
      const touched = new Set<number>();
      for (let count = 1 + random(4); count > 0; count--) {
        const at = index % 5 === 0 ? random(PAGE_SIZE_BYTES) : random(bytes.length);
        const length = random(3) === 0 ? 1 + random(600) : 1;
        for (let byte = at; byte < Math.min(at + length, bytes.length); byte++) {
          broken[byte] = random(256);
          touched.add(Math.floor(byte / PAGE_SIZE_BYTES) + 1);
        }
      }
      await expectTrue(broken, { touched, name: `flip ${index}` });
    }
  });

  test(`returns the entries of a truncated file (${CASES / 4} cuts)`, { timeout: TIMEOUT_MS }, async () => {
    const random = createRandom(7);
    const bytes = readFileSync(original);
    for (let index = 0; index < CASES / 4; index++) {
      const cut = index === 0 ? 0 : random(bytes.length);
      const touched = new Set<number>();
      for (let page = Math.floor(cut / PAGE_SIZE_BYTES) + 1; page <= bytes.length / PAGE_SIZE_BYTES; page++)
        touched.add(page);
      await expectTrue(bytes.subarray(0, cut), { touched, name: `cut at ${cut}` });
    }
  });

  test("loses only the entries of a damaged page, even if SQLite fails", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const bytes = readFileSync(original);
    for (let page = 1; page <= bytes.length / PAGE_SIZE_BYTES; page++) {
      const broken = Buffer.from(bytes);
      broken.fill(0xff, (page - 1) * PAGE_SIZE_BYTES, page * PAGE_SIZE_BYTES);
      const { entries: found, missing } = await expectTrue(broken, { touched: new Set([page]), name: `page ${page}` });
      const lost = entries.filter(({ sequence }) => pagesOf.get(sequence)?.includes(page));
      expect(found.length).toBe(entries.length - lost.length);
      // The index still has the numbers of the entries at the end.
      expect(missing).toEqual(lost.map(({ sequence }) => sequence));
    }
  });

  test("reads the -wal, and continues after a damaged frame", { timeout: TIMEOUT_MS }, async () => {
    const { database, wal } = await leaveWal();
    expect((await salvageLog(damaged, { digest: sha256 })).entries).toEqual(entries);
    const random = createRandom(99);
    for (let index = 0; index < CASES / 4; index++) {
      const broken = Buffer.from(wal);
      const at = random(broken.length);
      broken.writeUInt8(broken.readUInt8(at) ^ (1 << random(8)), at);
      writeFileSync(`${damaged}-wal`, broken);
      const { entries: found, missing } = await salvageLog(damaged, { digest: sha256 });
      expect(found).toEqual(entries.filter(({ sequence }) => found.some((entry) => entry.sequence === sequence)));
      // A wrong byte costs one payload, or a whole commit if it damages the commit mark.
      expect(found.length).toBeGreaterThanOrEqual(entries.length - 3);
      expect(found.length + missing.length).toBeGreaterThanOrEqual(entries.length - 3);
      expect(readFileSync(damaged).equals(database)).toBe(true);
      expect(readFileSync(`${damaged}-wal`).equals(broken)).toBe(true);
    }
    for (let cut = 0; cut < wal.length; cut += 1 + random(6_000)) {
      writeFileSync(`${damaged}-wal`, wal.subarray(0, cut));
      const { entries: found } = await salvageLog(damaged, { digest: sha256 });
      expect(found).toEqual(entries.slice(0, found.length));
      expect(found.length).toBeGreaterThanOrEqual(100);
    }
    rmSync(`${damaged}-wal`);
  });

  test("never throws, and reports the problem if the file is not a log", async () => {
    expect((await salvageLog(join(folder, "none"), { digest: sha256 })).problems).toMatchObject([{ kind: "file" }]);
    expect((await salvageLog(folder, { digest: sha256 })).problems[0]).toMatchObject({ kind: "file" });
    const random = createRandom(3);
    for (let index = 0; index < 20; index++) {
      const noise = Buffer.from(Array.from({ length: random(40_000) }, () => random(256)));
      if (index % 2 === 0) for (let at = 0; at < noise.length; at += PAGE_SIZE_BYTES) noise[at] = 0x0d;
      writeFileSync(damaged, noise);
      writeFileSync(`${damaged}-wal`, noise.subarray(0, random(noise.length + 1)));
      expect(await salvageLog(damaged, { digest: sha256 })).toMatchObject({ entries: [], missing: [] });
    }
    rmSync(`${damaged}-wal`);
  });

  test("keeps the locks of a log that this process has open", async () => {
    const store = sqliteStore({ folder: join(folder, "open") });
    const opened = await store.openWriter("s", { owner: "test" });
    if (opened.kind !== "opened") throw new Error("busy");
    await opened.writer.append(
      sealEntries([{ kind: "a", version: 1, payload: "1" }], { head: EMPTY_LOG, atMs: 1, digest: sha256 }),
    );
    const path = join(folder, "open", "s.sqlite");
    const locks = (): string[] =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((line) => line.includes(` ${process.pid} `));
    if (!existsSync("/proc/locks")) return;
    const before = locks().length;
    expect(before).toBeGreaterThan(0);
    expect((await salvageLog(path, { digest: sha256 })).entries).toHaveLength(1);
    expect(locks().length).toBe(before);
    await store.close();
  });
});

test("the store refuses a damaged log and does not change it", { timeout: TIMEOUT_MS }, async () => {
  const bytes = readFileSync(original);
  const random = createRandom(5);
  const store = sqliteStore({ folder });
  for (let index = 0; index < CASES / 4; index++) {
    // One missing byte is the smallest truncation, and is not on a page that opening reads.
    const end = index === 0 ? bytes.length - 1 : random(bytes.length);
    const broken = index % 2 ? Buffer.from(bytes) : Buffer.from(bytes.subarray(0, end));
    if (index % 2) broken.fill(random(256), 0, 1 + random(PAGE_SIZE_BYTES));
    writeFileSync(damaged, broken);
    for (const open of [() => store.openReader("s"), () => store.openWriter("s", { owner: "x", takeover: "always" })]) {
      try {
        await open();
        // The damaged bytes are not needed to open the log, so an append may continue.
        if (index % 2 === 0) expect.unreachable(`opened a log that was cut to ${broken.length} bytes`);
      } catch (error) {
        if (!DamagedLogError.isInstance(error) && !LogFormatError.isInstance(error)) throw error;
        expect(error.path).toBe(damaged);
        expect(readFileSync(damaged).equals(broken)).toBe(true);
      }
    }
    for (const name of readdirSync(folder)) if (/-(wal|shm)$/.test(name)) truncateSync(join(folder, name), 0);
  }
  await store.close();
});

test("the store does not write a -wal into a damaged file", async () => {
  const { database, wal } = await leaveWal();
  const broken = Buffer.from(database);
  broken.fill(0xff, 200, PAGE_SIZE_BYTES);
  writeFileSync(damaged, broken);
  // The first page is in the -wal, too. With a damaged first frame, SQLite ignores the whole -wal.
  wal[40] = 255;
  writeFileSync(`${damaged}-wal`, wal);
  const store = sqliteStore({ folder });
  await expect(store.openWriter("s", { owner: "x" })).rejects.toThrow(/damaged/);
  await expect(store.openReader("s")).rejects.toThrow(/salvageLog/);
  await store.close();
  expect(readFileSync(damaged).equals(broken)).toBe(true);
  expect(readFileSync(`${damaged}-wal`).equals(wal)).toBe(true);
});

/** Creates the log with its last 20 entries only in the -wal, as after a crash. */
async function leaveWal(): Promise<{ database: Buffer; wal: Buffer }> {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(damaged + suffix, { force: true });
  const live = join(folder, "live");
  rmSync(live, { recursive: true, force: true });
  for (const last of [100, 120]) {
    const store = sqliteStore({ folder: live });
    const opened = await store.openWriter("s", { owner: "test" });
    if (opened.kind !== "opened") throw new Error("busy");
    for (const entry of entries.slice(last === 100 ? 0 : 100, last)) await opened.writer.append([entry]);
    if (last === 120) {
      for (const suffix of ["", "-wal"]) copyFileSync(join(live, `s.sqlite${suffix}`), damaged + suffix);
    }
    await store.close();
  }
  return { database: readFileSync(damaged), wal: readFileSync(`${damaged}-wal`) };
}

async function expectTrue(
  broken: Buffer,
  { touched, name }: { touched: ReadonlySet<number>; name: string },
): Promise<{ entries: readonly Entry[]; missing: readonly number[] }> {
  writeFileSync(damaged, broken);
  const result = await salvageLog(damaged, { digest: sha256 });
  const numbers = new Set(result.entries.map(({ sequence }) => sequence));
  expect(result.entries, name).toEqual(entries.filter(({ sequence }) => numbers.has(sequence)));
  for (const { sequence } of entries) {
    const isUntouched = pagesOf.get(sequence)?.every((page) => !touched.has(page));
    if (isUntouched && !numbers.has(sequence)) expect.unreachable(`${name}: entry ${sequence} is lost`);
  }
  const highest = Math.max(0, ...numbers, ...result.missing);
  expect(result.missing, name).toEqual(
    entries.map(({ sequence }) => sequence).filter((sequence) => sequence <= highest && !numbers.has(sequence)),
  );
  if (numbers.size < entries.length) expect(result.problems.length, name).toBeGreaterThan(0);
  expect(readFileSync(damaged).equals(broken), name).toBe(true);
  expect(existsSync(`${damaged}-shm`), name).toBe(false);
  return result;
}

function mapPages(bytes: Buffer): Map<number, readonly number[]> {
  const source = (page: number): Uint8Array => bytes.subarray((page - 1) * PAGE_SIZE_BYTES, page * PAGE_SIZE_BYTES);
  const found = new Map<number, readonly number[]>();
  for (let number = 2; number <= bytes.length / PAGE_SIZE_BYTES; number++) {
    if (source(number)[0] !== 0x0d) continue;
    for (const { rowid, pages } of readTableLeaf(source(number), { number, source, columns: 10 }).rows)
      found.set(rowid, pages);
  }
  return found;
}

/** Returns pseudorandom numbers below a limit, the same in every run (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

// Checks with SQLite itself that the file under test is intact.
test("the undamaged test file is intact", () => {
  const database = new DatabaseSync(original, { readOnly: true });
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  database.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(original + suffix, { force: true });
});

test("the store accepts a file after a crash during a checkpoint", async () => {
  const { database } = await leaveWal();
  const after = readFileSync(join(folder, "live", "s.sqlite"));
  expect(after.length).toBeGreaterThan(database.length);
  for (let pages = 0; pages <= after.length / PAGE_SIZE_BYTES; pages += 5) {
    await leaveWal();
    // Copies page by page, the first page first: it names a larger size than the file has.
    const half = Buffer.concat([
      after.subarray(0, pages * PAGE_SIZE_BYTES),
      database.subarray(pages * PAGE_SIZE_BYTES),
    ]);
    writeFileSync(damaged, half);
    const store = sqliteStore({ folder });
    expect(await (await store.openReader("s"))?.read(1, 999)).toEqual(entries);
    const opened = await store.openWriter("s", { owner: "x", takeover: "always" });
    expect(opened.kind).toBe("opened");
    await store.close();
  }
});
