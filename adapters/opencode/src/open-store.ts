import type { Store } from "palimpsest";

/** Opens the store in a folder. opencode runs on Bun, which has SQLite under another name than Node. */
export async function openStore(folder: string): Promise<Store> {
  if ("Bun" in globalThis) await (await import("./bun-sqlite.ts")).provideNodeSqlite();
  const { sqliteStore } = await import("palimpsest/sqlite");
  return sqliteStore({ folder });
}
