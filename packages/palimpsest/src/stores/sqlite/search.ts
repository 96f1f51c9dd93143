import { setImmediate as others } from "node:timers/promises";
import { entryText, isMatch, type Phrase, readQuery, snippetOf, wordsOf } from "../../log/search-text.ts";
import type { SearchHit, SearchOptions } from "../store.ts";
import { sqliteCode } from "./errors.ts";
import { DROP_SEARCH, ENTRY_COLUMNS, SEARCH_SCHEMA } from "./file-format.ts";
import { type Connection, inTransaction, readHead, toUncheckedEntry } from "./log.ts";

/**
 * Searches a log: through its index where it covers the log, by scanning elsewhere. The index is first updated in batches; if
 * that fails (a read-only file, a full disk), all results are still found, only later.
 */
export async function searchLog({
  run,
  query,
  limit,
  from = 1,
  to = Infinity,
}: SearchLogOptions): Promise<SearchHit[]> {
  const phrases = readQuery(query);
  if (phrases.length === 0 || !(limit >= 1)) return [];
  const look = { phrases, from: Math.max(1, Math.ceil(from)), limit: Math.floor(Math.min(limit, 1e9)) };
  for (const index of ["as it is", "made anew", "unused"] as const) {
    if (index === "made anew") await run(dropIndex).catch(() => {});
    const unused = { through: 0, head: (await run(readHead)).sequence };
    const { through, head } = index === "unused" ? unused : ((await bringUpToDate(run)) ?? unused);
    const hits: SearchHit[] = [];
    let at = Math.min(Math.floor(to), head);
    while (at > through && at >= look.from && hits.length < look.limit) {
      const range = { from: Math.max(look.from, through + 1), to: at, limit: look.limit - hits.length };
      await others();
      const scanned = await run((connection) => scanBack(connection, { ...look, ...range }));
      hits.push(...scanned.hits);
      at = scanned.next;
    }
    if (at < look.from || through === 0 || hits.length >= look.limit) return hits;
    const rest = { to: at, limit: look.limit - hits.length };
    const found = await run((connection) => lookUp(connection, { ...look, ...rest }));
    if (found !== "misfit") return [...hits, ...found];
  }
  throw new Error("unreachable: a scan needs no index");
}

interface SearchLogOptions extends SearchOptions {
  readonly query: string;
  /** Runs synchronous work on the log file. Other work on the file runs between two calls. */
  readonly run: <T>(work: (connection: Connection) => T) => Promise<T>;
}

/** The newest entries, which are scanned each time instead of indexed: a search right after an append writes nothing. */
const MAX_UNINDEXED_ENTRIES = 64;

async function bringUpToDate(run: SearchLogOptions["run"]): Promise<IndexState | undefined> {
  let state = await run(readIndexState).catch(() => undefined);
  while (state !== undefined && state.head - state.through > MAX_UNINDEXED_ENTRIES) {
    // All calls of node:sqlite are synchronous: without this, they would block the process until the end.
    await others();
    const extended = await run(extendIndex).catch(() => undefined);
    // Skipped this time: covered entries stay covered.
    if (extended === undefined) return state;
    state = extended;
  }
  return state;
}

/** The progress of the index, and the end of the log. */
interface IndexState {
  readonly through: number;
  readonly head: number;
}

function readIndexState(connection: Connection): IndexState {
  const head = readHead(connection).sequence;
  return { through: readThrough(connection) ?? 0, head };
}

/** Adds the next entries to the index, up to one batch. */
function extendIndex(connection: Connection): IndexState {
  return inTransaction(connection, () => {
    const head = readHead(connection).sequence;
    let through = readThrough(connection);
    if (through === undefined) {
      connection.database.exec([DROP_SEARCH, ...SEARCH_SCHEMA].join(";\n"));
      through = 0;
    }
    const insert = connection.statement("INSERT INTO search (rowid, words) VALUES (?, ?)");
    for (let characters = 0; through < head && characters < BATCH_CHARACTERS; ) {
      through++;
      const text = readText(connection, through);
      characters += ENTRY_CHARACTERS + (text?.length ?? 0);
      if (text !== undefined) insert.run(through, wordsOf(text).join(" "));
    }
    connection
      .statement(
        `INSERT OR REPLACE INTO search_state (id, version, through, hash)
VALUES (1, ${INDEX_VERSION}, ?, coalesce((SELECT hash FROM entry WHERE sequence = ?), ''))`,
      )
      .run(through, through);
    return { through, head };
  });
}

/** Increases when words are split in another way: an index of another version is rebuilt. */
const INDEX_VERSION = 1;
// Some 30 ms of work, which block this process and other writers.
const BATCH_CHARACTERS = 262_144;
/** The fixed cost of an entry, in characters of text. */
const ENTRY_CHARACTERS = 64;

/** Scans the entries themselves, from `to` down, up to one batch. */
function scanBack(
  connection: Connection,
  { phrases, from, to, limit }: LookUpOptions,
): { readonly hits: readonly SearchHit[]; readonly next: number } {
  const hits: SearchHit[] = [];
  let sequence = to;
  for (let characters = 0; sequence >= from && hits.length < limit && characters < BATCH_CHARACTERS; sequence--) {
    const text = readText(connection, sequence);
    characters += ENTRY_CHARACTERS + (text?.length ?? 0);
    if (text !== undefined && isMatch(text, phrases)) hits.push({ sequence, snippet: snippetOf(text, phrases) });
  }
  return { hits, next: sequence };
}

interface LookUpOptions {
  readonly phrases: readonly Phrase[];
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** Returns the index's results, newest first; `misfit` if the index is damaged or contradicts the log. */
function lookUp(connection: Connection, { phrases, from, to, limit }: LookUpOptions): SearchHit[] | "misfit" {
  // Words have letters and digits only: nothing to escape.
  const query = phrases.map((phrase) => `"${phrase.join(" ")}" *`).join(" AND ");
  try {
    // Another process may have dropped and restarted it since.
    if ((readThrough(connection) ?? 0) < to) return "misfit";
    const rows = connection
      .statement("SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?")
      .all(query, from, to, limit);
    const hits = rows.map(({ rowid }) => toHit(connection, Number(rowid), phrases));
    return hits.every((hit) => hit !== undefined) ? hits : "misfit";
  } catch (error) {
    if (isTrouble(error)) throw error;
    return "misfit";
  }
}

function toHit(connection: Connection, sequence: number, phrases: readonly Phrase[]): SearchHit | undefined {
  const text = readText(connection, sequence);
  return text !== undefined && isMatch(text, phrases) ? { sequence, snippet: snippetOf(text, phrases) } : undefined;
}

/** The last entry that the index covers; undefined if there is none, or it is not from this log. */
function readThrough(connection: Connection): number | undefined {
  try {
    const state = connection.statement("SELECT version, through, hash FROM search_state WHERE id = 1").get();
    if (state?.["version"] !== INDEX_VERSION) return undefined;
    const through = Number(state["through"]);
    const entry = connection.statement("SELECT hash FROM entry WHERE sequence = ?").get(through);
    return through === 0 || entry?.["hash"] === state["hash"] ? through : undefined;
  } catch (error) {
    if (isTrouble(error)) throw error;
    return undefined;
  }
}

/** Checksums are ignored: a damaged entry must not hide the others. */
function readText(connection: Connection, sequence: number): string | undefined {
  const row = connection.statement(`SELECT ${ENTRY_COLUMNS} FROM entry WHERE sequence = ?`).get(sequence);
  return row === undefined ? undefined : entryText(toUncheckedEntry(row));
}

/** Its pages are overwritten with zeros (`secure_delete`). */
function dropIndex(connection: Connection): void {
  inTransaction(connection, () => connection.database.exec(DROP_SEARCH));
}

/** A lock, a full disk, or a missing file: not the fault of the index. */
function isTrouble(error: unknown): boolean {
  const code = sqliteCode(error);
  // SQLITE_ERROR (no such table, one that cannot be opened) and SQLITE_CORRUPT.
  return code !== 1 && code !== 11;
}
