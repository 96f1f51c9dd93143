import { DatabaseSync } from "node:sqlite";
import { create, insertMultiple, search } from "@orama/orama";
import { openTopicIndex } from "@palimpsest/memory/topic-index";
import MiniSearch from "minisearch";
import snowball from "snowball-stemmers";
import type { Searcher } from "./compare.ts";
import type { LabelledMemory } from "./labelled.ts";

const FOUND = 20;
const DAY_OF_ASKING = Date.parse("2025-07-01");
const FIELDS = ["slug", "name", "description", "body"] as const;

/** Ours, and ours with a part taken away in its tables; then the parts that others keep, as they come. */
export const SEARCHERS: Readonly<Record<string, Searcher>> = {
  ours: ours(() => {}),
  ours_without_thesaurus: ours((database) => database.exec("DELETE FROM same_meaning")),
  ours_without_common_words: ours((database) => database.exec("DELETE FROM common_words")),
  ours_without_german_stems: ours((database) => eachTable((table, columns) => dropStems(database, table, columns))),
  ours_without_stemming: ours((database) =>
    eachTable((table, columns) => {
      dropStems(database, table, columns);
      database.exec(retokenized(table, columns.join(", ")));
    }),
  ),
  fts5_porter: fts5("porter unicode61 remove_diacritics 2", wordsOf),
  fts5_trigram: fts5("trigram", (text) => wordsOf(text).flatMap(trigramsOf)),
  fts5_snowball: fts5("unicode61 remove_diacritics 2", snowballStems, snowballStems),
  minisearch: async (memories) => {
    const index = new MiniSearch({ idField: "slug", fields: [...FIELDS] });
    index.addAll([...memories]);
    return (text) => index.search(text).slice(0, FOUND).map(toScored);
  },
  minisearch_prefix_fuzzy: async (memories) => {
    const index = new MiniSearch({ idField: "slug", fields: [...FIELDS] });
    index.addAll([...memories]);
    return (text) => index.search(text, { prefix: true, fuzzy: 0.2 }).slice(0, FOUND).map(toScored);
  },
  orama: async (memories) => {
    const schema = { slug: "string", name: "string", description: "string", body: "string" } as const;
    const index = create({ schema });
    await insertMultiple(
      index,
      memories.map(({ slug, name, description, body }) => ({ slug, name, description, body })),
    );
    return async (text) => {
      const { hits } = await search(index, { term: text, limit: FOUND, threshold: 1 });
      return hits.map(({ document, score }) => ({ slug: document.slug, score }));
    };
  },
};

/** The change is made to the empty tables and again to the full ones: some parts are in what a topic becomes. */
function ours(change: (database: DatabaseSync) => void): Searcher {
  return async (memories) => {
    const database = new DatabaseSync(":memory:");
    const index = openTopicIndex(database);
    change(database);
    for (const memory of memories) index.put({ ...memory, updatedAtMs: Date.parse(memory.updated), version: "1" });
    change(database);
    return (text) => index.search(text, { limit: FOUND, nowMs: DAY_OF_ASKING, bar: "possible" });
  };
}

function eachTable(act: (table: string, columns: readonly string[]) => void): void {
  act("topic_text", ["title", "body"]);
  act("same_meaning", ["terms", "words"]);
  act("common_words", ["terms"]);
}

/** German stems are the terms with a mark before them. */
function dropStems(database: DatabaseSync, table: string, columns: readonly string[]): void {
  const set = columns.map((column) => `${column} = ?`).join(", ");
  const update = database.prepare(`UPDATE ${table} SET ${set} WHERE rowid = ?`);
  for (const { rowid, ...texts } of database.prepare(`SELECT rowid, * FROM ${table}`).all()) {
    const kept = columns.map((column) => String(texts[column]).replaceAll(/§\S+/g, ""));
    update.run(...kept, Number(rowid));
  }
}

/** Makes a table of ours anew, with its rows, under another tokenizer. */
function retokenized(name: string, columns: string): string {
  return `CREATE TEMP TABLE kept AS SELECT ${columns} FROM ${name};
DROP TABLE ${name};
CREATE VIRTUAL TABLE ${name} USING fts5(${columns}, tokenize='ascii');
INSERT INTO ${name} (${columns}) SELECT ${columns} FROM kept;
DROP TABLE kept;`;
}

/** All words of the query, any of which may match; ranked by SQLite's bm25. */
function fts5(
  tokenizer: string,
  readQuery: (text: string) => readonly string[],
  readText = (text: string): readonly string[] => [text],
): Searcher {
  return async (memories) => {
    const database = new DatabaseSync(":memory:");
    database.exec(`CREATE VIRTUAL TABLE topic USING fts5(${FIELDS.join(", ")}, tokenize='${tokenizer}')`);
    const insert = database.prepare("INSERT INTO topic VALUES (?, ?, ?, ?)");
    const indexed = (text: string): string => readText(text).join(" ");
    for (const memory of memories) insert.run(memory.slug, ...rest(memory).map(indexed));
    const query = database.prepare(
      `SELECT slug, -bm25(topic) AS score FROM topic WHERE topic MATCH ? ORDER BY score DESC LIMIT ${FOUND}`,
    );
    return (text) => {
      const words = readQuery(text).map((word) => `"${word}"`);
      if (words.length === 0) return [];
      return query.all(words.join(" OR ")).map((row) => ({ slug: String(row["slug"]), score: Number(row["score"]) }));
    };
  };
}

function rest({ name, description, body }: LabelledMemory): readonly string[] {
  return [name, description, body];
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function trigramsOf(word: string): readonly string[] {
  const characters = [...word];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(""));
}

function snowballStems(text: string): readonly string[] {
  const [english, german] = [snowball.newStemmer("english"), snowball.newStemmer("german")];
  return wordsOf(text).map((word) => german.stem(english.stem(word)));
}

function toScored({ id, score }: { readonly id: unknown; readonly score: number }) {
  return { slug: String(id), score };
}
