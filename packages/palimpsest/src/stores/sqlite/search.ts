import { setImmediate as others } from "node:timers/promises";
import { entryText, isMatch, type Phrase, readQuery, snippetOf, wordsOf } from "../../log/search-text.ts";
import type { SearchHit, SearchOptions } from "../store.ts";
import { sqliteCode } from "./errors.ts";
import { DROP_SEARCH, ENTRY_COLUMNS, SEARCH_SCHEMA } from "./file-format.ts";
import { type Connection, inTransaction, readHead, toUncheckedEntry } from "./log.ts";

/**
 * Searches a log with its search index, and scans the entries that the index does not cover. The index is a table in the log file. It
 * is first updated in batches. If an update fails (a read-only file, a full disk), the search is only slower. A damaged index is rebuilt.
 * The index keeps words (`wordsOf`), not texts, so the tokenizer `ascii` of FTS5 only splits at the spaces between words.
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
  for (const index of ["current", "rebuilt", "unused"] as const) {
    if (index === "rebuilt") await run(dropIndex).catch(() => {});
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
  throw new Error("unreachable: the last attempt scans all entries");
}

interface SearchLogOptions extends SearchOptions {
  readonly query: string;
  /** Runs synchronous work on the log file. Other work on the file can run between two calls. */
  readonly run: <T>(work: (connection: Connection) => T) => Promise<T>;
}

/** The number of new entries that are scanned instead of indexed, so that a search after an append writes nothing. */
const MAX_UNINDEXED_ENTRIES = 64;

async function bringUpToDate(run: SearchLogOptions["run"]): Promise<IndexState | undefined> {
  let state = await run(readIndexState).catch(() => undefined);
  while (state !== undefined && state.head - state.through > MAX_UNINDEXED_ENTRIES) {
    // Yields to other work, because all calls of node:sqlite are synchronous.
    await others();
    const extended = await run(extendIndex).catch(() => undefined);
    // The update failed. Entries that are already covered stay covered.
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

/** Increases when words are split differently. An index with another version is rebuilt. */
const INDEX_VERSION = 1;
// About 30 ms of work, which block this process and other writers.
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
  // Words contain only letters and digits, so nothing must be escaped.
  const query = phrases.map((phrase) => `"${phrase.join(" ")}" *`).join(" AND ");
  try {
    // Another process may have dropped and restarted the index in the meantime.
    if ((readThrough(connection) ?? 0) < to) return "misfit";
    const rows = connection
      .statement("SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?")
      .all(query, from, to, limit);
    const hits = rows.map(({ rowid }) => toHit(connection, Number(rowid), phrases));
    return hits.every((hit) => hit !== undefined) ? hits : "misfit";
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    return "misfit";
  }
}

function toHit(connection: Connection, sequence: number, phrases: readonly Phrase[]): SearchHit | undefined {
  const text = readText(connection, sequence);
  return text !== undefined && isMatch(text, phrases) ? { sequence, snippet: snippetOf(text, phrases) } : undefined;
}

/** Returns the last entry that the index covers; undefined if the index is missing, or belongs to another log. */
function readThrough(connection: Connection): number | undefined {
  try {
    const state = connection.statement("SELECT version, through, hash FROM search_state WHERE id = 1").get();
    if (state?.["version"] !== INDEX_VERSION) return undefined;
    const through = Number(state["through"]);
    const entry = connection.statement("SELECT hash FROM entry WHERE sequence = ?").get(through);
    return through === 0 || entry?.["hash"] === state["hash"] ? through : undefined;
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    return undefined;
  }
}

/** Reads the text of an entry without checking its checksum, because a damaged entry must not hide the others. */
function readText(connection: Connection, sequence: number): string | undefined {
  const row = connection.statement(`SELECT ${ENTRY_COLUMNS} FROM entry WHERE sequence = ?`).get(sequence);
  return row === undefined ? undefined : entryText(toUncheckedEntry(row));
}

/** Drops the index. SQLite overwrites its pages with zeros (`secure_delete`). */
function dropIndex(connection: Connection): void {
  inTransaction(connection, () => connection.database.exec(DROP_SEARCH));
}

/** Whether the storage failed (a lock, a full disk, a missing file), not the index. */
function isStorageFailure(error: unknown): boolean {
  const code = sqliteCode(error);
  // SQLITE_ERROR (a table is missing or cannot be opened) and SQLITE_CORRUPT are damage of the index.
  return code !== 1 && code !== 11;
}
