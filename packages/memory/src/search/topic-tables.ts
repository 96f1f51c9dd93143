import type { DatabaseSync } from "node:sqlite";

/** Rises when words are told apart in another way: tables of another version are made anew, and all topics are due again. */
const INDEX_VERSION = 2;

/**
 * FTS5 keeps words (`termsOf`), not texts: its tokenizer `ascii` splits at the spaces between them and nowhere else. Forms and
 * compounds of a word are found among the words themselves, so `topic_word` has each of them once, with how many topics have it;
 * `ending` is the stem read backwards. What is deleted from FTS5 is overwritten there, too (`secure-delete`).
 */
const TABLES: readonly string[] = [
  `CREATE TABLE topic (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  updated_at_ms REAL NOT NULL,
  version TEXT NOT NULL
) STRICT`,
  "CREATE VIRTUAL TABLE topic_text USING fts5(name, description, body, tokenize='ascii')",
  "INSERT INTO topic_text (topic_text, rank) VALUES ('secure-delete', 1)",
  `CREATE TABLE topic_word (
  word TEXT PRIMARY KEY,
  stem TEXT NOT NULL,
  root TEXT NOT NULL,
  ending TEXT NOT NULL,
  topics INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
  "CREATE INDEX topic_word_by_stem ON topic_word (stem)",
  "CREATE INDEX topic_word_by_root ON topic_word (root)",
  "CREATE INDEX topic_word_by_ending ON topic_word (ending)",
  "CREATE TABLE topic_index (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT",
  `INSERT INTO topic_index (id, version) VALUES (1, ${INDEX_VERSION})`,
];

const DROP_TABLES = ["topic", "topic_text", "topic_word", "topic_spelling", "topic_index"].map(
  (table) => `DROP TABLE IF EXISTS ${table}`,
);

/** Makes the tables, unless they are there and of this version. */
export function makeTables(database: DatabaseSync): void {
  if (readVersion(database) === INDEX_VERSION) return;
  atOnce(database, () => {
    // Another process may have made them meanwhile.
    if (readVersion(database) !== INDEX_VERSION) database.exec([...DROP_TABLES, ...TABLES].join(";\n"));
  });
}

/** All or nothing, whether or not the caller has a transaction of his own. */
export function atOnce<T>(database: DatabaseSync, work: () => T): T {
  const [begin, end, undo] = database.isTransaction
    ? ["SAVEPOINT topics", "RELEASE topics", "ROLLBACK TO topics; RELEASE topics"]
    : ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"];
  database.exec(begin);
  try {
    const result = work();
    database.exec(end);
    return result;
  } catch (error) {
    database.exec(undo);
    throw error;
  }
}

function readVersion(database: DatabaseSync): number | undefined {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'topic_index'").get();
  if (table === undefined) return undefined;
  return Number(database.prepare("SELECT version FROM topic_index WHERE id = 1").get()?.["version"]);
}
