import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Candidate, clearTopics, type FoundTopic, rankTopics } from "./rank-topics.ts";
import { readQuery, type Unit } from "./read-query.ts";
import { termsOf } from "./read-words.ts";
import { rootOf, stemOf } from "./stem.ts";
import { atOnce, makeTables } from "./topic-tables.ts";
import type { KnownWord, Vocabulary } from "./vocabulary.ts";

export interface IndexedTopic {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly body: string;
  readonly updatedAtMs: number;
  /** Of the topic's bytes: tells whether the index knows them. */
  readonly version: string;
}

export interface SearchTopicsOptions {
  readonly limit: number;
  readonly nowMs: number;
  /** `clear`: only what the query is surely about. `possible`: whatever shares words with it, for somebody else to judge. @default "clear" */
  readonly bar?: "clear" | "possible";
}

/** Full-text search over topics. It only saves time: it can be dropped, and filled again from the topics themselves. */
export interface TopicIndex {
  /** Takes a topic in, in place of an earlier one of the same slug. */
  put(topic: IndexedTopic): void;
  remove(slug: string): void;
  /** By slug, the version that is known. */
  versions(): ReadonlyMap<string, string>;
  /** Topics that the query is about, the best first; none if it is not clear that it is about any. */
  search(query: string, options: SearchTopicsOptions): readonly FoundTopic[];
}

/** Topics that are looked at closely. */
const CANDIDATES = 64;
/** Rows that FTS5 may weigh for one query: the words that most topics have are left out first. */
const MAX_ROWS = 3_000;
/** So many similar spellings are compared. */
const SIMILAR = 50;

/** Opens the index in a database, whose owner also keeps its transactions: what is not in one is one by itself. */
export function openTopicIndex(database: DatabaseSync): TopicIndex {
  makeTables(database);
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };

  function put(topic: IndexedTopic): void {
    remove(topic.slug);
    // The slug is a name, too, and often says it in another language.
    const fields = [`${topic.name}\n${topic.slug}`, topic.description, topic.body].map(termsOf);
    const { lastInsertRowid: id } = statement(
      "INSERT INTO topic (slug, type, updated_at_ms, version) VALUES (?, ?, ?, ?)",
    ).run(topic.slug, topic.type, topic.updatedAtMs, topic.version);
    statement("INSERT INTO topic_text (rowid, name, description, body) VALUES (?, ?, ?, ?)").run(
      id,
      ...fields.map((terms) => terms.join(" ")),
    );
    for (const word of new Set(fields.flat())) addWord(word);
  }

  function addWord(word: string): void {
    const counted = statement("UPDATE topic_word SET topics = topics + 1 WHERE word = ?").run(word);
    if (counted.changes > 0) return;
    const stem = stemOf(word);
    const { lastInsertRowid: id } = statement(
      "INSERT INTO topic_word (word, stem, root, topics) VALUES (?, ?, ?, 1)",
    ).run(word, stem, rootOf(stem));
    statement("INSERT INTO topic_spelling (rowid, word) VALUES (?, ?)").run(id, word);
  }

  function remove(slug: string): void {
    const topic = statement("SELECT id FROM topic WHERE slug = ?").get(slug);
    if (topic === undefined) return;
    const id = Number(topic["id"]);
    const row = statement("SELECT name, description, body FROM topic_text WHERE rowid = ?").get(id) ?? {};
    const words = new Set(["name", "description", "body"].flatMap((field) => split(row[field])));
    for (const word of words) removeWord(word);
    statement("DELETE FROM topic_text WHERE rowid = ?").run(id);
    statement("DELETE FROM topic WHERE id = ?").run(id);
  }

  function removeWord(word: string): void {
    const left = statement("UPDATE topic_word SET topics = topics - 1 WHERE word = ? RETURNING id, topics").get(word);
    if (left === undefined || Number(left["topics"]) > 0) return;
    statement("DELETE FROM topic_spelling WHERE rowid = ?").run(Number(left["id"]));
    statement("DELETE FROM topic_word WHERE id = ?").run(Number(left["id"]));
  }

  function candidates(units: readonly Unit[]): readonly Candidate[] {
    const match = matchOf(units);
    if (match === undefined) return [];
    return statement(`SELECT slug, updated_at_ms, name, description, body FROM topic_text JOIN topic ON topic.id = topic_text.rowid
WHERE topic_text MATCH ? ORDER BY bm25(topic_text, 3, 3, 1) LIMIT ${CANDIDATES}`)
      .all(match)
      .map((row) => ({
        slug: String(row["slug"]),
        updatedAtMs: Number(row["updated_at_ms"]),
        name: split(row["name"]),
        description: split(row["description"]),
        body: split(row["body"]),
      }));
  }

  return {
    put: (topic) => atOnce(database, () => put(topic)),
    remove: (slug) => atOnce(database, () => remove(slug)),
    versions() {
      const rows = statement("SELECT slug, version FROM topic").all();
      return new Map(rows.map(({ slug, version }) => [String(slug), String(version)]));
    },
    search(query, { limit, nowMs, bar = "clear" }) {
      const units = readQuery(query, vocabularyOf(statement));
      const ranked = rankTopics(units, candidates(units), nowMs);
      return (bar === "clear" ? clearTopics(ranked) : ranked).slice(0, limit);
    },
  };
}

function vocabularyOf(statement: (sql: string) => StatementSync): Vocabulary {
  const read = (sql: string, value: string): readonly KnownWord[] =>
    statement(sql)
      .all(value)
      .map(({ word, topics }) => ({ word: String(word), topics: Number(topics) }));
  const bySpelling = `SELECT topic_word.word AS word, topics FROM topic_spelling JOIN topic_word ON topic_word.id = topic_spelling.rowid
WHERE topic_spelling MATCH ?`;
  return {
    topics: Number(statement("SELECT count(*) AS topics FROM topic").get()?.["topics"]),
    withStem: (stem) => read("SELECT word, topics FROM topic_word WHERE stem = ?", stem),
    withRoot: (root) => read("SELECT word, topics FROM topic_word WHERE root = ?", root),
    containing: (piece) => read(bySpelling, quoted(piece)),
    similarTo(word) {
      const pieces = Array.from({ length: Math.max(0, word.length - 2) }, (_, at) => quoted(word.slice(at, at + 3)));
      return read(`${bySpelling} ORDER BY rank LIMIT ${SIMILAR}`, pieces.join(" OR "));
    },
  };
}

/** Words of the query and what stands for them, the rarest first, as long as there are not too many topics that have them. */
function matchOf(units: readonly Unit[]): string | undefined {
  const named = units.filter(({ matches }) => matches.size > 0).toSorted((one, other) => one.topics - other.topics);
  const terms: string[] = [];
  let rows = 0;
  for (const { matches, topics } of named) {
    rows += topics;
    if (terms.length > 0 && rows > MAX_ROWS) break;
    terms.push(...matches.keys());
  }
  return terms.length === 0 ? undefined : [...new Set(terms)].map(quoted).join(" OR ");
}

/** Terms have letters and digits only, and a sign that is no quote: nothing to escape. */
function quoted(term: string): string {
  return `"${term}"`;
}

function split(terms: unknown): string[] {
  return String(terms ?? "")
    .split(" ")
    .filter((term) => term !== "");
}
