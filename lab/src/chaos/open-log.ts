import { openPostgres } from "@palimpsest/postgres";
import type { Store } from "palimpsest";
import { type StoreClock, sqliteStore } from "palimpsest/sqlite";
import type { Entry, LogWriter } from "palimpsest/store-parts";
import pg from "pg";

/** Where logs are: in a folder, or in a PostgreSQL that is reached by a port. */
export type LogPlace = { readonly folder: string } | { readonly port: number };

export function openStore(place: LogPlace, clock?: StoreClock): Store {
  if ("folder" in place) return sqliteStore({ folder: place.folder, ...(clock && { clock }) });
  const pool = new pg.Pool({ host: "127.0.0.1", port: place.port, user: "service", database: "postgres", max: 2 });
  // A connection that was cut while nobody used it: the next query opens another.
  pool.on("error", () => undefined);
  const store = openPostgres({ pool }).store({ tenant: "chaos" });
  return {
    ...store,
    async close() {
      await store.close();
      await pool.end();
    },
  };
}

/** The writer of a log, taken from whoever had it. */
export async function takeLog(store: Store, session: string, owner = "chaos"): Promise<LogWriter> {
  const opened = await store.openWriter(session, { owner, takeover: "always" });
  if (opened.kind === "busy") throw new Error("a writer that takes over found the log busy");
  return opened.writer;
}

/** All that a log has, as a process reads it that opens it now. */
export async function readLog(place: string | LogPlace, session: string): Promise<readonly Entry[]> {
  const store = openStore(typeof place === "string" ? { folder: place } : place);
  try {
    const reader = await store.openReader(session);
    return reader === undefined ? [] : await reader.read(1, Number.MAX_SAFE_INTEGER);
  } finally {
    await store.close();
  }
}
