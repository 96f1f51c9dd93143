import { crc32 } from "node:zlib";
import { PathError } from "../../errors.ts";
import type { Entry } from "../../log/entry.ts";

/** A value of a record in a SQLite file. Logs have no blobs; a blob is read as undefined. */
type RecordValue = number | string | null | undefined;

/**
 * Reads a variable-length integer (https://sqlite.org/fileformat2.html#varint); undefined if it is cut off or too
 * large.
 */
function readVarint(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 9; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    value = index === 8 ? value * 256 + byte : value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
    if (byte < 0x80 || index === 8) return { value, next: at + index + 1 };
  }
  return undefined;
}

// A log has at most 10 columns, each with at most 9 bytes in the header. A larger header is text misread as a record.
const MAX_HEADER_BYTES = 100;

/** Reads the number of values and bytes of a record from its beginning; undefined if it is not a record. */
function readRecordHeader(bytes: Uint8Array): { types: number[]; headerBytes: number; sizeBytes: number } | undefined {
  const header = readVarint(bytes, 0);
  if (header === undefined || header.value > Math.min(bytes.length, MAX_HEADER_BYTES)) return undefined;
  const types: number[] = [];
  let sizeBytes = header.value;
  let at = header.next;
  while (at < header.value) {
    const type = readVarint(bytes, at);
    if (type === undefined || type.value === 10 || type.value === 11) return undefined;
    types.push(type.value);
    sizeBytes += sizeOf(type.value);
    at = type.next;
  }
  return at === header.value ? { types, headerBytes: header.value, sizeBytes } : undefined;
}

/** Reads the values of a record; undefined unless its length matches its header. */
function readRecord(bytes: Uint8Array): RecordValue[] | undefined {
  const header = readRecordHeader(bytes);
  if (header === undefined || header.sizeBytes !== bytes.length) return undefined;
  let at = header.headerBytes;
  return header.types.map((type) => {
    const value = bytes.subarray(at, at + sizeOf(type));
    at += sizeOf(type);
    return readValue(type, value);
  });
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function sizeOf(type: number): number {
  return type < 12 ? (INTEGER_BYTES[type] ?? 0) : (type - (type % 2 === 0 ? 12 : 13)) / 2;
}

function readValue(type: number, bytes: Uint8Array): RecordValue {
  if (type === 0) return null;
  if (type === 7) return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0);
  if (type === 8 || type === 9) return type - 8;
  if (type < 7) {
    const bits = bytes.length * 8;
    const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return Number(BigInt.asIntN(bits, value));
  }
  return type % 2 === 0 ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** "PaLo" in the file's header (offset 68): whose file it is. */
export const APPLICATION_ID = 0x50_61_4c_6f;

/** `user_version` in the file's header (offset 60). A file with a higher number is refused. */
export const FORMAT_VERSION = 1;

/** Fixed, so that salvage need not believe a damaged header. One damaged page costs what stands on 4 KiB. */
export const PAGE_SIZE_BYTES = 4096;

/** The columns of `entry` in the order of the table, which is that of the record in the file. */
export const ENTRY_COLUMNS = "sequence, parent, kind, version, at_ms, digest, hash, payload_crc32, row_crc32, payload";

/**
 * The database itself keeps the log append-only: whatever program opens the file, an entry is added at the end, and of an
 * old one only the payload can go. `last_sequence` tells when the end of the table is lost. `beat` names the heartbeat of the
 * writer's store. The payload stands last, because SQLite walks through it to reach what stands behind.
 */
export const SCHEMA: readonly string[] = [
  `CREATE TABLE entry (
  sequence INTEGER PRIMARY KEY,
  parent INTEGER NOT NULL,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL,
  at_ms REAL NOT NULL,
  digest TEXT NOT NULL,
  hash TEXT NOT NULL,
  payload_crc32 INTEGER NOT NULL,
  row_crc32 INTEGER NOT NULL,
  payload TEXT
) STRICT`,
  "CREATE INDEX entry_by_kind ON entry (kind)",
  `CREATE TABLE writer (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  fence INTEGER NOT NULL,
  owner TEXT NOT NULL,
  active_at_ms REAL NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  last_sequence INTEGER NOT NULL,
  beat TEXT NOT NULL
) STRICT`,
  `CREATE TRIGGER entry_is_next BEFORE INSERT ON entry
WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM entry)
BEGIN SELECT RAISE(ABORT, 'entries are only added at the end of the log'); END`,
  `CREATE TRIGGER entry_stays BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END`,
  `CREATE TRIGGER entry_is_only_erased BEFORE UPDATE ON entry
WHEN NOT (NEW.payload IS NULL AND NEW.sequence IS OLD.sequence AND NEW.parent IS OLD.parent AND NEW.kind IS OLD.kind
  AND NEW.version IS OLD.version AND NEW.at_ms IS OLD.at_ms AND NEW.digest IS OLD.digest AND NEW.hash IS OLD.hash
  AND NEW.payload_crc32 IS OLD.payload_crc32 AND NEW.row_crc32 IS OLD.row_crc32)
BEGIN SELECT RAISE(ABORT, 'entries never change; only a payload can be erased'); END`,
  `CREATE TRIGGER writer_stays BEFORE DELETE ON writer
BEGIN SELECT RAISE(ABORT, 'the writer row is never deleted'); END`,
  `CREATE TRIGGER fence_never_falls BEFORE UPDATE ON writer WHEN NEW.fence < OLD.fence
BEGIN SELECT RAISE(ABORT, 'a fence never falls'); END`,
  "CREATE TRIGGER writer_is_one BEFORE INSERT ON writer WHEN (SELECT count(*) FROM writer) > 0\nBEGIN SELECT RAISE(ABORT, 'there is one writer row'); END",
];

export const FIRST_WRITER =
  "INSERT INTO writer (id, fence, owner, active_at_ms, state, last_sequence, beat) VALUES (1, 0, '', 0, 'closed', 0, '')";

/**
 * The search index: made by the first search, and not part of the format, because it can be made anew from the entries.
 * Nothing is ranked, so FTS5 need not know how many words an entry has (`columnsize=0`).
 */
export const SEARCH_SCHEMA: readonly string[] = [
  "CREATE VIRTUAL TABLE search USING fts5(words, content='', columnsize=0, tokenize='ascii')",
  `CREATE TABLE search_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  through INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT`,
];

export const DROP_SEARCH = "DROP TABLE IF EXISTS search; DROP TABLE IF EXISTS search_state";

/**
 * SQLite has no checksums of its own. These make a row prove itself, even where the rows before it, and with them the
 * chain, are lost: of 1 to 4 overwritten bytes JSON alone notices half (measured: 51%). The checksum of the payload
 * stands by itself, so that the row stays true when the payload is erased.
 */
export function checkOfRow(entry: Omit<Entry, "payload">, payloadCheck: number): number {
  const { sequence, parent, kind, version, atMs, digest, hash } = entry;
  return crc32(JSON.stringify([sequence, parent, kind, version, atMs, digest, hash, payloadCheck]));
}

export function checkOfPayload(payload: string | undefined): number {
  return payload === undefined ? 0 : crc32(payload);
}

/** Returns the newest complete version of a page; undefined if the page is missing. */
export type PageSource = (page: number) => Uint8Array | undefined;

export interface TableRow {
  readonly rowid: number;
  readonly values: readonly RecordValue[];
  /** The pages of the row: the leaf, then its overflow pages. */
  readonly pages: readonly number[];
}

interface LeafContent {
  readonly rows: readonly TableRow[];
  /** Rows that the page's cell list does not contain: the list is damaged, or these are remains of moved rows. */
  readonly unlisted: readonly TableRow[];
  /** The number of listed cells that cannot be read as a row. */
  readonly unreadable: number;
}

const TABLE_LEAF = 0x0d;
const INDEX_LEAF = 0x0a;
const HEADER_BYTES = 8;
/** https://sqlite.org/fileformat2.html#b_tree_pages, for pages of 4,096 bytes without reserved space. */
const MAX_LOCAL_TABLE_BYTES = PAGE_SIZE_BYTES - 35;
const MAX_LOCAL_INDEX_BYTES = Math.floor(((PAGE_SIZE_BYTES - 12) * 64) / 255) - 23;
const MIN_LOCAL_BYTES = Math.floor(((PAGE_SIZE_BYTES - 12) * 32) / 255) - 23;

interface ReadLeafOptions {
  readonly number: number;
  readonly source: PageSource;
  /** The number of values in a row of the wanted table; other rows are skipped before they are read. */
  readonly columns: number;
}

/**
 * Reads the rows of a table leaf from its cell list, then from any other place on the page: a damaged list may be too
 * short. The caller must check whether a row is genuine.
 */
export function readTableLeaf(page: Uint8Array, options: ReadLeafOptions): LeafContent {
  const isLeaf = page[0] === TABLE_LEAF;
  const cells = new Set(cellsOf(page));
  const rows: TableRow[] = [];
  let unreadable = 0;
  for (const at of cells) {
    const row = readCell(page, at, options);
    if (row === undefined) unreadable++;
    else if (row !== "of another table") rows.push(row);
  }
  if (!isLeaf && rows.length === 0) return { rows, unlisted: [], unreadable: 0 };
  const unlisted = [...candidates(page, options.columns)].flatMap((at) => {
    const row = cells.has(at) ? undefined : readCell(page, at, options);
    return row === undefined || row === "of another table" ? [] : [row];
  });
  return { rows, unlisted, unreadable };
}

/**
 * Returns the places where a row may begin. A record begins with the size of its header, at least one byte per column,
 * and a zero, because the first column is the row's own key; two numbers of 1 to 9 bytes come before it.
 */
function candidates(page: Uint8Array, columns: number): Set<number> {
  const found = new Set<number>();
  for (let at = page.indexOf(0, HEADER_BYTES + 3); at !== -1; at = page.indexOf(0, at + 1)) {
    const headerBytes = page[at - 1] ?? 0;
    if (headerBytes <= columns || headerBytes > 9 * columns + 1) continue;
    for (let start = at - 3; start >= Math.max(HEADER_BYTES, at - 19); start--) found.add(start);
  }
  return found;
}

/** Returns the row numbers in a leaf of the index by kind. Other indexes (of the search index) have another form. */
export function readIndexLeaf(page: Uint8Array): number[] {
  if (page[0] !== INDEX_LEAF) return [];
  return cellsOf(page).flatMap((at) => {
    const size = readVarint(page, at);
    if (size === undefined || size.value > MAX_LOCAL_INDEX_BYTES) return [];
    const [kind, rowid, ...more] = readRecord(page.subarray(size.next, size.next + size.value)) ?? [];
    // FTS5 keeps its version in a table with the same form as this index.
    const isOurs = typeof kind === "string" && kind !== "version" && more.length === 0;
    return isOurs && typeof rowid === "number" ? [rowid] : [];
  });
}

function cellsOf(page: Uint8Array): number[] {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  // No cell is smaller than 4 bytes. A page of text, read as a cell list, nearly always seems to have more cells.
  const count = Math.min(view.getUint16(3), (PAGE_SIZE_BYTES - HEADER_BYTES) / 6 + 1);
  if (count * 6 > PAGE_SIZE_BYTES - HEADER_BYTES) return [PAGE_SIZE_BYTES];
  return Array.from({ length: count }, (_, index) => view.getUint16(HEADER_BYTES + 2 * index));
}

function readCell(page: Uint8Array, at: number, options: ReadLeafOptions): TableRow | "of another table" | undefined {
  const size = readVarint(page, at);
  const rowid = size && readVarint(page, size.next);
  if (size === undefined || rowid === undefined) return undefined;
  const local = localBytes(size.value);
  if (rowid.next + local > PAGE_SIZE_BYTES) return undefined;
  const bytes = page.subarray(rowid.next, rowid.next + local);
  // Checked before any page is read: a wrong size may ask for gigabytes.
  const header = readRecordHeader(bytes);
  if (header === undefined || header.sizeBytes !== size.value) return undefined;
  if (header.types.length !== options.columns) return "of another table";
  const pages = [options.number];
  const record =
    local === size.value ? bytes : gather(page, { ...options, at: rowid.next, local, size: size.value, pages });
  const values = record && readRecord(record);
  return values && { rowid: rowid.value, values, pages };
}

function localBytes(size: number): number {
  if (size <= MAX_LOCAL_TABLE_BYTES) return size;
  const local = MIN_LOCAL_BYTES + ((size - MIN_LOCAL_BYTES) % (PAGE_SIZE_BYTES - 4));
  return local <= MAX_LOCAL_TABLE_BYTES ? local : MIN_LOCAL_BYTES;
}

interface GatherOptions extends ReadLeafOptions {
  readonly at: number;
  readonly local: number;
  readonly size: number;
  readonly pages: number[];
}

/** Collects a record from its overflow pages, each of which begins with the number of the next. */
function gather(page: Uint8Array, { at, local, size, source, pages }: GatherOptions): Uint8Array | undefined {
  const parts = [page.subarray(at, at + local)];
  const seen = new Set<number>();
  let next = readNumber(page, at + local);
  for (let left = size - local; left > 0; ) {
    const overflow = next === undefined || next === 0 ? undefined : source(next);
    // A chain with a loop never ends.
    if (overflow === undefined || next === undefined || seen.has(next)) return undefined;
    seen.add(next);
    pages.push(next);
    const part = overflow.subarray(4, 4 + Math.min(left, PAGE_SIZE_BYTES - 4));
    parts.push(part);
    left -= part.length;
    if (part.length === 0) return undefined;
    next = readNumber(overflow, 0);
  }
  return Buffer.concat(parts, size);
}

function readNumber(bytes: Uint8Array, at: number): number | undefined {
  return at + 4 <= bytes.length
    ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at)
    : undefined;
}

/** One page as a write-ahead log has it. */
export interface WalFrame {
  /** Its place in the file, from 0. */
  readonly index: number;
  readonly page: number;
  readonly bytes: Uint8Array;
}

interface WalContent {
  /** Committed and whole, oldest first. */
  readonly frames: readonly WalFrame[];
  /** Before a commit, but not what was written: a part of what stands there may still be true. */
  readonly damaged: readonly WalFrame[];
}

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Reads a -wal as bytes (https://sqlite.org/fileformat2.html#the_write_ahead_log). SQLite stops at the first frame that is
 * wrong, since each checksum continues that of the frame before. This goes on: the frame before also holds the value to
 * continue from, so that a damaged frame costs itself and at most the next one. What follows the last commit was never
 * promised to anyone and is left out.
 */
export function readWal(wal: Uint8Array): WalContent {
  const view = new DataView(wal.buffer, wal.byteOffset, wal.byteLength);
  const frames: WalFrame[] = [];
  const damaged: WalFrame[] = [];
  if (wal.length < WAL_HEADER_BYTES + FRAME_HEADER_BYTES + PAGE_SIZE_BYTES) return { frames, damaged };
  const { salt, littleEndian } = readHeader(view);
  let pending: WalFrame[] = [];
  let pendingDamaged: WalFrame[] = [];
  let before: Checksum = [view.getUint32(24), view.getUint32(28)];
  const sizeBytes = FRAME_HEADER_BYTES + PAGE_SIZE_BYTES;
  for (let index = 0, at = WAL_HEADER_BYTES; at + sizeBytes <= wal.length; index++, at += sizeBytes) {
    const stored: Checksum = [view.getUint32(at + 16), view.getUint32(at + 20)];
    const isOfThisRun = view.getUint32(at + 8) === salt[0] && view.getUint32(at + 12) === salt[1];
    const counted = checksum(view, {
      from: at + FRAME_HEADER_BYTES,
      to: at + sizeBytes,
      littleEndian,
      before: checksum(view, { from: at, to: at + 8, littleEndian, before }),
    });
    before = stored;
    const frame = { index, page: view.getUint32(at), bytes: wal.subarray(at + FRAME_HEADER_BYTES, at + sizeBytes) };
    if (!isOfThisRun) pendingDamaged.push(frame);
    else if (counted[0] === stored[0] && counted[1] === stored[1]) pending.push(frame);
    else pendingDamaged.push(frame);
    // The size of the database, which only the last frame of a commit has.
    if (!isOfThisRun || view.getUint32(at + 4) === 0) continue;
    frames.push(...pending);
    damaged.push(...pendingDamaged);
    pending = [];
    pendingDamaged = [];
  }
  return { frames, damaged };
}

type Checksum = readonly [number, number];

interface WalHeader {
  readonly salt: Checksum;
  readonly littleEndian: boolean;
}

/** The salts stand in every frame too: those that most frames have are believed when the header's are damaged. */
function readHeader(view: DataView): WalHeader {
  const counts = new Map<string, { count: number; salt: Checksum }>();
  const sizeBytes = FRAME_HEADER_BYTES + PAGE_SIZE_BYTES;
  const header: Checksum = [view.getUint32(16), view.getUint32(20)];
  let isHeaderUsed = false;
  for (let at = WAL_HEADER_BYTES; at + sizeBytes <= view.byteLength; at += sizeBytes) {
    const salt: Checksum = [view.getUint32(at + 8), view.getUint32(at + 12)];
    isHeaderUsed ||= salt[0] === header[0] && salt[1] === header[1];
    const found = counts.get(salt.join());
    if (found === undefined) counts.set(salt.join(), { count: 1, salt });
    else found.count++;
  }
  const [most] = [...counts.values()].sort((one, other) => other.count - one.count);
  // Magic 0x377f0682 or 0x377f0683: the last bit says how the checksums were counted. x86 and ARM write little-endian.
  const littleEndian = view.getUint32(0) !== 0x377f0683;
  return { salt: isHeaderUsed ? header : (most?.salt ?? header), littleEndian };
}

function checksum(
  view: DataView,
  { from, to, littleEndian, before }: { from: number; to: number; littleEndian: boolean; before: Checksum },
): Checksum {
  let [first, second] = before;
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, littleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0;
  }
  return [first, second];
}

/** A file belongs to another program, or to a later version of this one, by the marks in its header. It was not changed. */
export abstract class FileFormatError extends PathError {
  readonly applicationId: number;
  readonly formatVersion: number;

  constructor(path: string, found: { applicationId: number; formatVersion: number; remedy: string }) {
    super(
      path,
      `${path} is marked with application id ${found.applicationId} and format ${found.formatVersion}: ${found.remedy}`,
    );
    this.applicationId = found.applicationId;
    this.formatVersion = found.formatVersion;
  }
}
