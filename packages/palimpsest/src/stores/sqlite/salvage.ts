import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { checkChain, type Digest, EMPTY_LOG, type Entry } from "../../log/entry.ts";
import { messageOf } from "./errors.ts";
import { checkOfRow, ENTRY_COLUMNS, PAGE_SIZE_BYTES } from "./file-format.ts";
import { toEntry } from "./log.ts";
import { type PageSource, readIndexLeaf, readTableLeaf, type TableRow } from "./pages.ts";
import { readWal, type WalFrame } from "./wal.ts";

/**
 * Reads all remaining entries of a damaged log from a copy, so the file and its -wal do not change. Reads the bytes first, because
 * SQLite skips a whole branch after one damaged page, and the rest of the -wal after one damaged frame. Then reads through SQLite. Never
 * throws, for any file content. Keeps all entries in memory.
 */
export async function salvageLog(path: string, options: SalvageOptions): Promise<SalvagedLog> {
  const { digest, temporaryFolder = tmpdir() } = options;
  const problems: SalvageProblem[] = [];
  const found = createFindings(digest);
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(temporaryFolder, "palimpsest-salvage-"));
    const copy = join(folder, "copy.sqlite");
    for (const suffix of ["", "-wal"]) {
      const problem = copyDamaged(path + suffix, copy + suffix);
      // A log that was closed properly has no -wal.
      if (problem !== undefined && !(suffix === "-wal" && problem.endsWith("does not exist")))
        problems.push({ kind: "file", detail: problem });
    }
    problems.push(...readByBytes(copy, found));
    // SQLite reads last, because it writes the -wal into the file.
    problems.push(...readBySqlite(copy, found));
  } catch (error) {
    problems.push({ kind: "file", detail: messageOf(error) });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
  return judge(found, { digest, problems });
}

/** Options of `salvageLog`. */
export interface SalvageOptions {
  /** The digest with which the entries were sealed. */
  readonly digest: Digest;
  /** The folder for the temporary copy. @default the system's folder for temporary files */
  readonly temporaryFolder?: string;
}

/** The found entries, the missing numbers, and the damage. */
export interface SalvagedLog {
  /** The found entries in order. Each payload matches its digest (or was erased), and all other fields match their checksum. */
  readonly entries: readonly Entry[];
  /** The missing entry numbers, up to and including the highest number seen. */
  readonly missing: readonly number[];
  readonly problems: readonly SalvageProblem[];
}

/** Damage in a log file. */
export interface SalvageProblem {
  /**
   * `file`: the file is unreadable, or readable only in part. `sqlite`: an error of SQLite. `page`, `wal-frame`: the page or frame is
   * partly unreadable. `payload`: the entry exists, but its payload does not match its digest. `chain`: the entry is intact, but does
   * not continue the previous entry.
   */
  readonly kind: "file" | "sqlite" | "page" | "wal-frame" | "payload" | "chain";
  /** The number of the page, frame or entry. */
  readonly number?: number;
  readonly detail: string;
}

function judge(found: Findings, options: { digest: Digest; problems: SalvageProblem[] }): SalvagedLog {
  const { problems, digest } = options;
  const entries = [...found.entries.values()].sort((one, other) => one.sequence - other.sequence);
  let highest = entries.at(-1)?.sequence ?? 0;
  for (const sequence of found.withoutPayload) highest = Math.max(highest, sequence);
  // The index has no checksum, so its numbers count only if they directly follow the numbers of rows.
  while (found.indexed.has(highest + 1)) highest++;
  const missing: number[] = [];
  for (let sequence = 1; sequence <= highest; sequence++) if (!found.entries.has(sequence)) missing.push(sequence);
  for (const number of found.withoutPayload) {
    if (!found.entries.has(number))
      problems.push({ kind: "payload", number, detail: `the payload of entry ${number} does not match its digest` });
  }
  for (const { sequence: number, what } of checkChain(entries, EMPTY_LOG, digest)) {
    if (what === "chain")
      problems.push({ kind: "chain", number, detail: `entry ${number} does not continue the previous entry` });
  }
  return { entries, missing, problems };
}

/**
 * The entries that were found so far. If an entry was found both with and without its payload, the payload was erased.
 */
interface Findings {
  readonly entries: Map<number, Entry>;
  /** Entries that are intact except for their payload. */
  readonly withoutPayload: Set<number>;
  /** The numbers in the index by kind. */
  readonly indexed: Set<number>;
  add(entry: Entry): void;
}

function createFindings(digest: Digest): Findings {
  const entries = new Map<number, Entry>();
  const withoutPayload = new Set<number>();
  return {
    entries,
    withoutPayload,
    indexed: new Set(),
    add(entry) {
      const before = entries.get(entry.sequence);
      if (entry.payload === undefined) entries.set(entry.sequence, entry);
      else if (before !== undefined) return;
      else if (digest(entry.payload) === entry.digest) entries.set(entry.sequence, entry);
      else withoutPayload.add(entry.sequence);
    },
  };
}

/**
 * Copies the readable parts of a file, and writes zeros for unreadable parts. Closing a file drops all locks of this process on it
 * (https://sqlite.org/howtocorrupt.html, 2.2), so another process copies a file that this process may have open. Returns a description
 * of the problem, if any.
 */
function copyDamaged(from: string, to: string): string | undefined {
  try {
    if (statSync(from, { throwIfNoEntry: false }) === undefined) return `${from} does not exist`;
    if (isOpenHere(from) === "no") return copyReadable(from, to);
    const script = `process.stdout.write((${copyReadable.toString()})(${JSON.stringify(from)}, ${JSON.stringify(to)}) ?? "")`;
    const { stdout, stderr, status, error } = spawnSync(process.execPath, ["--eval", script], { encoding: "utf8" });
    return status === 0 ? stdout || undefined : `${from} could not be copied: ${error?.message ?? stderr}`;
  } catch (error) {
    return `${from} could not be copied: ${messageOf(error)}`;
  }
}

/** Whether this process has the file open. Only Linux provides this information. */
function isOpenHere(path: string): "no" | "perhaps" {
  try {
    const real = realpathSync(path);
    return readdirSync("/proc/self/fd").some((name) => linkOf(`/proc/self/fd/${name}`) === real) ? "perhaps" : "no";
  } catch {
    return "perhaps";
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Copies the readable parts. The source text of this function also runs in another process, so it must not use outer variables. */
function copyReadable(from: string, to: string): string | undefined {
  const files = process.getBuiltinModule("node:fs");
  const source = files.openSync(from, "r");
  const target = files.openSync(to, "wx", 0o600);
  let unreadableBytes = 0;
  const sizeBytes = files.fstatSync(source).size;
  for (let at = 0; at < sizeBytes; ) {
    // Copy large pieces. If a piece cannot be read, copy it page by page.
    for (const pieceBytes of [1_048_576, 4096]) {
      const piece = new Uint8Array(Math.min(pieceBytes, sizeBytes - at));
      let readBytes = piece.length;
      try {
        readBytes = files.readSync(source, piece, 0, piece.length, at);
      } catch {
        if (pieceBytes > 4096) continue;
        unreadableBytes += piece.length;
      }
      for (let written = 0; written < readBytes; )
        written += files.writeSync(target, piece, written, readBytes - written, at + written);
      at += readBytes === 0 ? piece.length : readBytes;
      break;
    }
  }
  files.closeSync(source);
  files.closeSync(target);
  return unreadableBytes === 0 ? undefined : `${from}: ${unreadableBytes} of ${sizeBytes} bytes cannot be read`;
}

/**
 * Adds the rows of all pages in the file and its -wal, in all versions. Entries never change, so an old version of a page is as valid as
 * a new one. Uses the page size of all logs, even if a damaged header names another size.
 */
function readByBytes(path: string, found: Findings): SalvageProblem[] {
  const problems: SalvageProblem[] = [];
  const { frames, damaged } = existsSync(`${path}-wal`)
    ? readWal(readFileSync(`${path}-wal`))
    : { frames: [], damaged: [] };
  const newest = new Map(frames.map((frame) => [frame.page, frame.bytes]));
  const pages = openPages(path);
  try {
    const source: PageSource = (page) => newest.get(page) ?? pages.read(page);
    for (const frame of frames.toReversed())
      problems.push(...readPage(frame.bytes, { number: frame.page, source, found }));
    for (let number = 1; number <= pages.count; number++) {
      const page = pages.read(number);
      if (page !== undefined) problems.push(...readPage(page, { number, source, found }));
    }
    problems.push(...readDamagedFrames(damaged, { source, found }));
  } finally {
    pages.close();
  }
  return problems;
}

function openPages(path: string): { count: number; read(page: number): Uint8Array | undefined; close(): void } {
  if (!existsSync(path)) return { count: 0, read: () => undefined, close: () => {} };
  const file = openSync(path, "r");
  const count = Math.ceil(fstatSync(file).size / PAGE_SIZE_BYTES);
  return {
    count,
    read(page) {
      if (page < 1 || page > count) return undefined;
      // If the file ends within a page, the rest is filled with zeros, because that part may have been unused.
      const bytes = new Uint8Array(PAGE_SIZE_BYTES);
      readSync(file, bytes, 0, PAGE_SIZE_BYTES, (page - 1) * PAGE_SIZE_BYTES);
      return bytes;
    },
    close: () => closeSync(file),
  };
}

function readDamagedFrames(
  damaged: readonly WalFrame[],
  { source, found }: { source: PageSource; found: Findings },
): SalvageProblem[] {
  const suspects = new Map(damaged.map((frame) => [frame.page, frame.bytes]));
  return damaged.map((frame) => {
    readPage(frame.bytes, { number: frame.page, source, found });
    readPage(frame.bytes, { number: frame.page, source: (page) => suspects.get(page) ?? source(page), found });
    return {
      kind: "wal-frame",
      number: frame.index,
      detail: `frame ${frame.index} of the -wal is damaged`,
    };
  });
}

interface ReadPageOptions {
  readonly number: number;
  readonly source: PageSource;
  readonly found: Findings;
}

function readPage(page: Uint8Array, { number, source, found }: ReadPageOptions): SalvageProblem[] {
  for (const sequence of readIndexLeaf(page)) found.indexed.add(sequence);
  const { rows, unlisted, unreadable } = readTableLeaf(page, { number, source, columns: COLUMNS });
  let damaged = unreadable;
  for (const row of rows) {
    const entry = entryOf(row);
    if (entry === undefined) damaged++;
    else found.add(entry);
  }
  for (const row of unlisted) {
    const entry = entryOf(row);
    if (entry !== undefined) found.add(entry);
  }
  return damaged === 0 ? [] : [{ kind: "page", number, detail: `${damaged} rows on page ${number} cannot be read` }];
}

const COLUMNS = ENTRY_COLUMNS.split(", ").length;

/** Returns the row as an entry if its checksum matches; undefined for damaged rows and rows of other tables. */
function entryOf({ rowid: sequence, values }: TableRow): Entry | undefined {
  const [alias, parent, kind, version, atMs, digest, hash, payloadCheck, check, payload] = values;
  // SQLite stores an integer primary key only as the row's key, so the column itself is null.
  if (alias !== null || (payload !== null && typeof payload !== "string")) return undefined;
  const entry = { sequence, parent, kind, version, atMs, payload: payload ?? undefined, digest, hash } as Entry;
  return checkOfRow(entry, payloadCheck as number) === check ? entry : undefined;
}

/** Adds the rows that SQLite can read: from the beginning and from the end, each up to the first unreadable page. */
function readBySqlite(path: string, found: Findings): SalvageProblem[] {
  const problems: SalvageProblem[] = [];
  if (!existsSync(path)) return problems;
  let wrong = 0;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // The file is a copy, so no sync is necessary.
    database.exec("PRAGMA synchronous=OFF; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF");
    for (const order of ["ASC", "DESC"]) {
      try {
        const rows = database.prepare(`SELECT ${ENTRY_COLUMNS} FROM entry ORDER BY sequence ${order}`).iterate();
        for (const row of rows) if (!isAdded(row, found)) wrong++;
        break;
      } catch (error) {
        problems.push({ kind: "sqlite", detail: messageOf(error) });
      }
    }
  } catch (error) {
    problems.push({ kind: "sqlite", detail: messageOf(error) });
  } finally {
    if (database?.isOpen) database.close();
  }
  if (wrong > 0) problems.push({ kind: "sqlite", detail: `${wrong} rows do not match their checksum` });
  return problems;
}

function isAdded(row: Record<string, unknown>, found: Findings): boolean {
  try {
    found.add(toEntry(row));
    return true;
  } catch {
    // The checksum does not match.
    return false;
  }
}
