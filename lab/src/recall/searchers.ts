import { DatabaseSync } from "node:sqlite";
import { openTopicIndex } from "@palimpsest/memory/topic-index";
import type { Searcher } from "./compare.ts";

const FOUND = 20;
const DAY_OF_ASKING = Date.parse("2025-07-01");
const FIELDS = ["slug", "name", "description", "body"] as const;

/** Our search, and SQLite's full-text search with its own tokenizer and ranking. */
export const SEARCHERS: Readonly<Record<string, Searcher>> = {
  async ours(memories) {
    const index = openTopicIndex(new DatabaseSync(":memory:"));
    for (const memory of memories) index.put({ ...memory, updatedAtMs: Date.parse(memory.updated), version: "1" });
    return (text) => index.search(text, { limit: FOUND, nowMs: DAY_OF_ASKING, bar: "possible" });
  },
  async fts5_porter(memories) {
    const database = new DatabaseSync(":memory:");
    const tokenizer = "porter unicode61 remove_diacritics 2";
    database.exec(`CREATE VIRTUAL TABLE topic USING fts5(${FIELDS.join(", ")}, tokenize='${tokenizer}')`);
    const insert = database.prepare("INSERT INTO topic VALUES (?, ?, ?, ?)");
    for (const memory of memories) insert.run(...FIELDS.map((field) => memory[field]));
    const query = database.prepare(
      `SELECT slug, -bm25(topic) AS score FROM topic WHERE topic MATCH ? ORDER BY score DESC LIMIT ${FOUND}`,
    );
    return (text) => {
      const words = wordsOf(text).map((word) => `"${word}"`);
      if (words.length === 0) return [];
      return query.all(words.join(" OR ")).map((row) => ({ slug: String(row["slug"]), score: Number(row["score"]) }));
    };
  },
};

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
