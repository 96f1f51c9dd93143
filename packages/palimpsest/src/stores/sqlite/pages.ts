// Reads rows from the bytes of database pages, for files that SQLite can no longer read.

import { PAGE_SIZE_BYTES } from "./file-format.ts";

/**
 * Reads the rows of a table leaf: first from its cell list, then from any other place on the page, because a damaged list may be too
 * short. The caller must check that a row is genuine.
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

interface ReadLeafOptions {
  readonly number: number;
  readonly source: PageSource;
  /** The number of values in a row of the table. Other rows are skipped before they are read. */
  readonly columns: number;
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
  /** Rows that are missing from the page's cell list, because the list is damaged or the row was moved. */
  readonly unlisted: readonly TableRow[];
  /** The number of listed cells that cannot be read as a row. */
  readonly unreadable: number;
}

const TABLE_LEAF = 0x0d;

const HEADER_BYTES = 8;

function cellsOf(page: Uint8Array): number[] {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  // Cells have at least 4 bytes. A page of text that is read as a cell list nearly always seems to have more cells than fit.
  const count = Math.min(view.getUint16(3), (PAGE_SIZE_BYTES - HEADER_BYTES) / 6 + 1);
  if (count * 6 > PAGE_SIZE_BYTES - HEADER_BYTES) return [PAGE_SIZE_BYTES];
  return Array.from({ length: count }, (_, index) => view.getUint16(HEADER_BYTES + 2 * index));
}

/**
 * Returns the places where a row may begin. A record begins with the size of its header (at least one byte per column) and a zero,
 * because the first column is the row's key. Two numbers of 1 to 9 bytes precede the record.
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

function readCell(page: Uint8Array, at: number, options: ReadLeafOptions): TableRow | "of another table" | undefined {
  const size = readVarint(page, at);
  const rowid = size && readVarint(page, size.next);
  if (size === undefined || rowid === undefined) return undefined;
  const local = localBytes(size.value);
  if (rowid.next + local > PAGE_SIZE_BYTES) return undefined;
  const bytes = page.subarray(rowid.next, rowid.next + local);
  // Check the size before reading overflow pages, because a wrong size could ask for gigabytes.
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

/** https://sqlite.org/fileformat2.html#b_tree_pages, for pages of 4,096 bytes without reserved space. */
const MAX_LOCAL_TABLE_BYTES = PAGE_SIZE_BYTES - 35;

const MIN_LOCAL_BYTES = Math.floor(((PAGE_SIZE_BYTES - 12) * 32) / 255) - 23;

/** Collects a record from its overflow pages, each of which begins with the number of the next. */
function gather(page: Uint8Array, { at, local, size, source, pages }: GatherOptions): Uint8Array | undefined {
  const parts = [page.subarray(at, at + local)];
  const seen = new Set<number>();
  let next = readNumber(page, at + local);
  for (let left = size - local; left > 0; ) {
    const overflow = next === undefined || next === 0 ? undefined : source(next);
    // Stop at a loop in the chain.
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

interface GatherOptions extends ReadLeafOptions {
  readonly at: number;
  readonly local: number;
  readonly size: number;
  readonly pages: number[];
}

function readNumber(bytes: Uint8Array, at: number): number | undefined {
  return at + 4 <= bytes.length
    ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at)
    : undefined;
}

/** Returns the row numbers in a leaf of the index by kind. The tables of the search index have another format. */
export function readIndexLeaf(page: Uint8Array): number[] {
  if (page[0] !== INDEX_LEAF) return [];
  return cellsOf(page).flatMap((at) => {
    const size = readVarint(page, at);
    if (size === undefined || size.value > MAX_LOCAL_INDEX_BYTES) return [];
    const [kind, rowid, ...more] = readRecord(page.subarray(size.next, size.next + size.value)) ?? [];
    // FTS5 keeps its version in a table with the same format as this index.
    const isOurs = typeof kind === "string" && kind !== "version" && more.length === 0;
    return isOurs && typeof rowid === "number" ? [rowid] : [];
  });
}

const INDEX_LEAF = 0x0a;

const MAX_LOCAL_INDEX_BYTES = Math.floor(((PAGE_SIZE_BYTES - 12) * 64) / 255) - 23;

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

/** A value of a record in a SQLite file. Logs have no blobs; a blob is read as undefined. */
type RecordValue = number | string | null | undefined;

/** Reads the types and the size of a record from its header; undefined if the bytes are not a record. */
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

// A log has at most 10 columns, each with at most 9 bytes in the header. A larger header is text that was misread as a record.
const MAX_HEADER_BYTES = 100;

function sizeOf(type: number): number {
  return type < 12 ? (INTEGER_BYTES[type] ?? 0) : (type - (type % 2 === 0 ? 12 : 13)) / 2;
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

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

/**
 * Reads a variable-length integer (https://sqlite.org/fileformat2.html#varint); undefined if the integer is incomplete or too
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
