import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TopicUse } from "../memory-files.ts";

const LOCK_TIMEOUT_MS = 5_000;
const SCHEMA = `PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS topic_use (
  slug TEXT PRIMARY KEY,
  uses INTEGER NOT NULL,
  last_at_ms REAL NOT NULL
) STRICT, WITHOUT ROWID`;

/**
 * Counts how often topics are used, in a file of its own, so that counting never waits for a writer of topics. Nothing depends on the
 * counts: if the file is gone, counting starts again. Counting never creates a memory.
 */
export class UseCounts {
  readonly #folder: () => string;
  #database: DatabaseSync | undefined;

  constructor(folder: () => string) {
    this.#folder = folder;
  }

  add(slugs: readonly string[], nowMs: number): void {
    const insert = this.#open()?.prepare(`INSERT INTO topic_use (slug, uses, last_at_ms) VALUES (?, 1, ?)
ON CONFLICT (slug) DO UPDATE SET uses = uses + 1, last_at_ms = max(last_at_ms, excluded.last_at_ms)`);
    for (const slug of slugs) insert?.run(slug, nowMs);
  }

  all(): ReadonlyMap<string, TopicUse> {
    const rows = this.#open()?.prepare("SELECT slug, uses, last_at_ms FROM topic_use").all() ?? [];
    return new Map(
      rows.map((row) => [String(row["slug"]), { count: Number(row["uses"]), lastAtMs: Number(row["last_at_ms"]) }]),
    );
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #open(): DatabaseSync | undefined {
    if (this.#database !== undefined || !existsSync(this.#folder())) return this.#database;
    const database = new DatabaseSync(join(this.#folder(), "uses.sqlite"), { timeout: LOCK_TIMEOUT_MS });
    database.exec(SCHEMA);
    this.#database = database;
    return database;
  }
}
