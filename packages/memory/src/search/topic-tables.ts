import type { DatabaseSync } from "node:sqlite";
import { COMMON_WORDS } from "./common-words.ts";
import { withGermanStems } from "./german-stems.ts";
import { SAME_MEANING } from "./same-meaning.ts";

/**
 * Increases with every change of the tables or of the word lists: tables of another version are recreated, and all topics are
 * indexed again.
 */
const INDEX_VERSION = 1;

/**
 * FTS5 keeps words (`readWords`), not texts: its tokenizer `ascii` splits at the spaces between them and nowhere else, and
 * `porter` makes the forms of an English word one. German topics have their German stems beside their words. The word lists
 * stand in tables with the same tokenizer, so that any form of their words is found. Deleted topics are overwritten in FTS5, too (`secure-delete`).
 */
const TOKENIZER = "tokenize='porter ascii'";
const TABLES: readonly string[] = [
  `CREATE TABLE topic (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  updated_at_ms REAL NOT NULL,
  version TEXT NOT NULL,
  title_says REAL NOT NULL
) STRICT`,
  `CREATE VIRTUAL TABLE topic_text USING fts5(title, body, ${TOKENIZER})`,
  "INSERT INTO topic_text (topic_text, rank) VALUES ('secure-delete', 1)",
  `CREATE VIRTUAL TABLE same_meaning USING fts5(terms, words UNINDEXED, ${TOKENIZER})`,
  `CREATE VIRTUAL TABLE common_words USING fts5(terms, ${TOKENIZER})`,
  "CREATE TABLE topic_index (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT",
  `INSERT INTO topic_index (id, version) VALUES (1, ${INDEX_VERSION})`,
];

const DROP_TABLES = ["topic", "topic_text", "same_meaning", "common_words", "topic_index"].map(
  (table) => `DROP TABLE IF EXISTS ${table}`,
);

/** Creates the tables, unless they exist in this version. */
export function makeTables(database: DatabaseSync): void {
  if (readVersion(database) === INDEX_VERSION) return;
  atOnce(database, () => {
    // Another process may have created them meanwhile.
    if (readVersion(database) === INDEX_VERSION) return;
    database.exec([...DROP_TABLES, ...TABLES].join(";\n"));
    const insertGroup = database.prepare("INSERT INTO same_meaning (terms, words) VALUES (?, ?)");
    for (const group of SAME_MEANING) insertGroup.run(termsOf(group), group);
    database.prepare("INSERT INTO common_words (terms) VALUES (?)").run(termsOf(COMMON_WORDS));
  });
}

/** Runs work atomically, with or without a transaction of the caller. */
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

/** Returns the index terms of a word list, each word of which may be German. */
function termsOf(words: string): string {
  return withGermanStems(words.trim().split(/\s+/)).join(" ");
}

function readVersion(database: DatabaseSync): number | undefined {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'topic_index'").get();
  if (table === undefined) return undefined;
  return Number(database.prepare("SELECT version FROM topic_index WHERE id = 1").get()?.["version"]);
}
