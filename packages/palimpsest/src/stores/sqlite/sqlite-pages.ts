import { type RecordValue, readRecord, readRecordHeader, readVarint } from "./sqlite-record.ts";
import { PAGE_SIZE_BYTES } from "./sqlite-schema.ts";

/** The newest whole version of a page; undefined for one that is not there. */
export type PageSource = (page: number) => Uint8Array | undefined;

export interface TableRow {
  readonly rowid: number;
  readonly values: readonly RecordValue[];
  /** Where it stands: the leaf, then the pages that it runs over to. */
  readonly pages: readonly number[];
}

export interface LeafContent {
  readonly rows: readonly TableRow[];
  /** Rows that the page does not list: its list is damaged, or they were moved and this is what is left of them. */
  readonly unlisted: readonly TableRow[];
  /** Places on the page where the page says a row is, and none can be read. */
  readonly unreadable: number;
}

const TABLE_LEAF = 0x0d;
const INDEX_LEAF = 0x0a;
const HEADER_BYTES = 8;
/** https://sqlite.org/fileformat2.html#b_tree_pages, for pages of 4,096 bytes without reserved space. */
const MAX_LOCAL_TABLE_BYTES = PAGE_SIZE_BYTES - 35;
const MAX_LOCAL_INDEX_BYTES = Math.floor(((PAGE_SIZE_BYTES - 12) * 64) / 255) - 23;
const MIN_LOCAL_BYTES = Math.floor(((PAGE_SIZE_BYTES - 12) * 32) / 255) - 23;

export interface ReadLeafOptions {
  readonly number: number;
  readonly source: PageSource;
  /** How many values a row of the wanted table has: anything else is passed over before it is read. */
  readonly columns: number;
}

/**
 * The rows of a table leaf, through its list of cells, and then wherever else on the page one can be read: a list that
 * is damaged may be too short. Whether it is a true row is for the one to check who asked.
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
 * Where a row may begin. Its record begins with the size of the record's header, at least a byte for each column, and a
 * zero, since the first column is the row's own key; two numbers of 1 to 9 bytes stand before that.
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

/** The numbers of the rows that a leaf of the index by kind points to. Other indexes (of the search index) look different. */
export function readIndexLeaf(page: Uint8Array): number[] {
  if (page[0] !== INDEX_LEAF) return [];
  return cellsOf(page).flatMap((at) => {
    const size = readVarint(page, at);
    if (size === undefined || size.value > MAX_LOCAL_INDEX_BYTES) return [];
    const [kind, rowid, ...more] = readRecord(page.subarray(size.next, size.next + size.value)) ?? [];
    // FTS5 keeps its version in a table that is made like this index.
    const isOurs = typeof kind === "string" && kind !== "version" && more.length === 0;
    return isOurs && typeof rowid === "number" ? [rowid] : [];
  });
}

function cellsOf(page: Uint8Array): number[] {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  // No cell is smaller than 4 bytes. Pages of text, taken for a list of cells, nearly always seem to have more.
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
  // Before anything is gathered: a size that is wrong may ask for gigabytes.
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

/** A record that runs over to other pages, each of which begins with the number of the next. */
function gather(page: Uint8Array, { at, local, size, source, pages }: GatherOptions): Uint8Array | undefined {
  const parts = [page.subarray(at, at + local)];
  const seen = new Set<number>();
  let next = readNumber(page, at + local);
  for (let left = size - local; left > 0; ) {
    const overflow = next === undefined || next === 0 ? undefined : source(next);
    // A chain that comes back to itself has no end.
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
