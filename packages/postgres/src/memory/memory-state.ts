import type { Author, MemoryLimits } from "@palimpsest/memory";
import { type FileRow, INDEX_PATH, toFileRow, toGoneRow, wantedIndex } from "@palimpsest/memory/memory-parts";

/** All files of a memory after one of its commits. Never changed: a newer state is another object. */
export interface MemoryState {
  /** 0 before the first commit. */
  readonly number: number;
  /** The id of the commit; "" before the first. */
  readonly id: string;
  /** With a row for the index, which follows from the topics and is not stored. */
  readonly rows: ReadonlyMap<string, FileRow>;
  readonly contents: ReadonlyMap<string, Buffer>;
  /** Under which key each path is stored. */
  readonly keys: ReadonlyMap<string, string>;
}

export const EMPTY_MEMORY: MemoryState = {
  number: 0,
  id: "",
  rows: new Map(),
  contents: new Map(),
  keys: new Map(),
};

export interface ChangedFile {
  readonly path: string;
  readonly key: string;
  readonly author: Author;
  readonly atMs: number;
  /** Undefined: the file is gone. */
  readonly content: Buffer | undefined;
}

/** The state after a later commit, from the files that have changed since. */
export function stateAfter(
  base: MemoryState,
  { number, id, changed }: { readonly number: number; readonly id: string; readonly changed: readonly ChangedFile[] },
  limits: MemoryLimits,
): MemoryState {
  const rows = new Map(base.rows);
  const contents = new Map(base.contents);
  const keys = new Map(base.keys);
  for (const { path, key, author, atMs, content } of changed) {
    keys.set(path, key);
    const row = toFileRow(path, content ?? Buffer.alloc(0), { author, modifiedAtMs: atMs });
    rows.set(path, content === undefined ? toGoneRow(row, author) : row);
    if (content === undefined) contents.delete(path);
    else contents.set(path, content);
  }
  rows.delete(INDEX_PATH);
  contents.delete(INDEX_PATH);
  const index = Buffer.from(wantedIndex(rows, "", limits));
  if (index.length > 0) {
    rows.set(INDEX_PATH, toFileRow(INDEX_PATH, index, { author: "user", modifiedAtMs: 0 }));
    contents.set(INDEX_PATH, index);
  }
  return { number, id, rows, contents, keys };
}

/** Git's id of every stored content, by path. */
export function blobsOf(rows: ReadonlyMap<string, FileRow>): ReadonlyMap<string, string> {
  const stored = [...rows.values()].flatMap(({ path, blob }) =>
    blob === undefined || path === INDEX_PATH ? [] : [[path, blob] as const],
  );
  return new Map(stored);
}
