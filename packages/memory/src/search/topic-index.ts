import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isGerman } from "./function-words.ts";
import { withGermanStems } from "./german-stems.ts";
import { type Candidate, clearTopics, type FoundTopic, rankTopics } from "./rank-topics.ts";
import { queryWords, readQuery, type Unit } from "./read-query.ts";
import { readWords } from "./read-words.ts";
import { atOnce, makeTables } from "./topic-tables.ts";
import { topicVocabulary } from "./topic-vocabulary.ts";
import { wordShare } from "./word-share.ts";

/** A topic as the search knows it. */
export interface IndexedTopic {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly body: string;
  readonly updatedAtMs: number;
  /** A version of the topic's bytes: shows whether the index is up to date. */
  readonly version: string;
}

/** How many topics to find, and how sure a match must be. */
export interface SearchTopicsOptions {
  readonly limit: number;
  readonly nowMs: number;
  /**
   * `clear`: only if the query is clearly about one of them. `possible`: every topic that shares words with it, for the caller
   * to judge. @default "clear"
   */
  readonly bar?: "clear" | "possible";
}

/** Full-text search over topics. It only saves time: it can be dropped and rebuilt from the topics. */
export interface TopicIndex {
  /** Adds a topic, replacing an earlier one with the same slug. */
  put(topic: IndexedTopic): void;
  remove(slug: string): void;
  /** The indexed version by slug. */
  versions(): ReadonlyMap<string, string>;
  /** Finds topics that the query is about, the best first; none if that is not clear for any. */
  search(query: string, options: SearchTopicsOptions): readonly FoundTopic[];
}

/** The number of topics that are scored. */
const CANDIDATES = 40;

/** Opens the index in a database. The caller controls transactions; a call outside of one is its own transaction. */
export function openTopicIndex(database: DatabaseSync): TopicIndex {
  makeTables(database);
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };

  function put(topic: IndexedTopic): void {
    remove(topic.slug);
    // The slug is a name, too, often in another language.
    const title = readWords(`${topic.name}\n${topic.slug}\n${topic.description}`);
    const body = readWords(topic.body);
    const toTerms = isGerman([...title, ...body]) ? withGermanStems : (words: readonly string[]) => words;
    const { isCommon } = topicVocabulary(prepare, "other");
    const titleSays = [...new Set(title)].reduce((sum, word) => sum + wordShare(word, isCommon), 0);
    const { lastInsertRowid: id } = prepare(
      "INSERT INTO topic (slug, type, updated_at_ms, version, title_says) VALUES (?, ?, ?, ?, ?)",
    ).run(topic.slug, topic.type, topic.updatedAtMs, topic.version, titleSays);
    prepare("INSERT INTO topic_text (rowid, title, body) VALUES (?, ?, ?)").run(
      id,
      toTerms(title).join(" "),
      toTerms(body).join(" "),
    );
  }

  function remove(slug: string): void {
    const id = prepare("SELECT id FROM topic WHERE slug = ?").get(slug)?.["id"];
    if (id === undefined) return;
    prepare("DELETE FROM topic_text WHERE rowid = ?").run(Number(id));
    prepare("DELETE FROM topic WHERE id = ?").run(Number(id));
  }

  function readCandidate(id: number): Candidate {
    const row = prepare("SELECT slug, updated_at_ms, title_says FROM topic WHERE id = ?").get(id) ?? {};
    return {
      id,
      slug: String(row["slug"]),
      updatedAtMs: Number(row["updated_at_ms"]),
      titleSays: Number(row["title_says"]),
    };
  }

  return {
    put: (topic) => atOnce(database, () => put(topic)),
    remove: (slug) => atOnce(database, () => remove(slug)),
    versions() {
      const rows = prepare("SELECT slug, version FROM topic").all();
      return new Map(rows.map(({ slug, version }) => [String(slug), String(version)]));
    },
    search(query, { limit, nowMs, bar = "clear" }) {
      const words = queryWords(query);
      const units = readQuery(words, topicVocabulary(prepare, isGerman(words) ? "german" : "other"));
      const ranked = rankTopics(units, mostShared(units).map(readCandidate), nowMs);
      return (bar === "clear" ? clearTopics(ranked) : ranked).slice(0, limit);
    },
  };
}

/** Ids of the topics with the highest weight of shared words. */
function mostShared(units: readonly Unit[]): readonly number[] {
  const says = new Map<number, number>();
  for (const { weight, topics } of units) {
    for (const [id, sureness] of topics) says.set(id, (says.get(id) ?? 0) + weight * sureness);
  }
  return [...says]
    .toSorted((one, other) => other[1] - one[1])
    .slice(0, CANDIDATES)
    .map(([id]) => id);
}
