import type { DatabaseSync } from "node:sqlite";

/** How often a topic was recalled, and when last. */
export interface TopicUse {
  /** How often it was shown to the model, or read by it. */
  readonly count: number;
  readonly lastAtMs: number;
}

/** Counts how often topics are used. Nothing else depends on it: if the file is gone, counting starts again. */
export interface TopicUses {
  note(slugs: readonly string[], nowMs: number): void;
  all(): ReadonlyMap<string, TopicUse>;
}

// Separate from the index, which is rebuilt when words are split in another way.
const TABLE = `CREATE TABLE IF NOT EXISTS topic_use (
  slug TEXT PRIMARY KEY,
  uses INTEGER NOT NULL,
  last_at_ms REAL NOT NULL
) STRICT, WITHOUT ROWID`;

export function openTopicUses(database: DatabaseSync): TopicUses {
  database.exec(TABLE);
  const note = database.prepare(`INSERT INTO topic_use (slug, uses, last_at_ms) VALUES (?, 1, ?)
ON CONFLICT (slug) DO UPDATE SET uses = uses + 1, last_at_ms = max(last_at_ms, excluded.last_at_ms)`);
  const all = database.prepare("SELECT slug, uses, last_at_ms FROM topic_use");
  return {
    note(slugs, nowMs) {
      for (const slug of slugs) note.run(slug, nowMs);
    },
    all: () =>
      new Map(
        all
          .all()
          .map((row) => [String(row["slug"]), { count: Number(row["uses"]), lastAtMs: Number(row["last_at_ms"]) }]),
      ),
  };
}
