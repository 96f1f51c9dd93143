// Opens the store of the plugin, on Node or on Bun.

import type { Store } from "palimpsest";

/** Opens the store in a folder. opencode runs on Bun, whose SQLite has another module name than Node's. */
export async function openStore(folder: string): Promise<Store> {
  if ("Bun" in globalThis) await (await import("./bun-sqlite.ts")).provideNodeSqlite();
  const { sqliteStore } = await import("palimpsest/sqlite");
  return sqliteStore({ folder });
}
