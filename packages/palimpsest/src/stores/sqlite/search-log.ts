import { setImmediate as others } from "node:timers/promises";
import { readQuery } from "../../log/search-text.ts";
import type { SearchHit, SearchOptions } from "../store.ts";
import type { Connection } from "./connection.ts";
import { readHead } from "./log.ts";
import { dropIndex, extendIndex, type IndexState, lookUp, readIndexState, scanBack } from "./search.ts";

/** The newest entries, which are scanned each time instead of indexed: a search right after an append writes nothing. */
const MAX_UNINDEXED_ENTRIES = 64;

export interface SearchLogOptions extends SearchOptions {
  readonly query: string;
  /** Runs synchronous work on the log file. Other work on the file runs between two calls. */
  readonly run: <T>(work: (connection: Connection) => T) => Promise<T>;
}

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
