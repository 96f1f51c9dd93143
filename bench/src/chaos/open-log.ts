import type { Store } from "palimpsest";
import type { Entry, LogWriter } from "palimpsest/core";
import { sqliteStore } from "palimpsest/sqlite-store";

/** The writer of a log, taken from whoever had it. */
export async function takeLog(store: Store, session: string, owner = "chaos"): Promise<LogWriter> {
  const opened = await store.openWriter(session, { owner, takeover: "always" });
  if (opened.kind === "busy") throw new Error("a writer that takes over found the log busy");
  return opened.writer;
}

/** All that a log has, as a process reads it that opens it now. */
export async function readLog(folder: string, session: string): Promise<readonly Entry[]> {
  const store = sqliteStore({ folder });
  try {
    const reader = await store.openReader(session);
    return reader === undefined ? [] : await reader.read(1, Number.MAX_SAFE_INTEGER);
  } finally {
    await store.close();
  }
}
