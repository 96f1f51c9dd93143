import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Candidate, clearTopics, type FoundTopic, rankTopics } from "./rank-topics.ts";
import { readQuery, type Unit } from "./read-query.ts";
import { termsOf } from "./read-words.ts";
import { atOnce, makeTables } from "./topic-tables.ts";
import { countWord, discountWord, topicVocabulary } from "./topic-vocabulary.ts";

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
  /**
   * `clear`: only if it is clear that the query is about one of them. `possible`: whatever shares words with it, for somebody
   * else to judge. @default "clear"
   */
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
const CANDIDATES = 40;
/** Mentions of words that one search goes through: what most topics have is left out first. */
const MAX_MENTIONS = 8_000;

/** Opens the index in a database, whose owner also keeps its transactions: what is not in one is one by itself. */
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
    // The slug is a name, too, and often says it in another language.
    const fields = [`${topic.name}\n${topic.slug}`, topic.description, topic.body].map(termsOf);
    const { lastInsertRowid: id } = prepare(
      "INSERT INTO topic (slug, type, updated_at_ms, version) VALUES (?, ?, ?, ?)",
    ).run(topic.slug, topic.type, topic.updatedAtMs, topic.version);
    prepare("INSERT INTO topic_text (rowid, name, description, body) VALUES (?, ?, ?, ?)").run(
      id,
      ...fields.map((terms) => terms.join(" ")),
    );
    for (const word of new Set(fields.flat())) countWord(prepare, word);
  }

  function remove(slug: string): void {
    const id = prepare("SELECT id FROM topic WHERE slug = ?").get(slug)?.["id"];
    if (id === undefined) return;
    const { name, description, body } = readTerms(Number(id));
    for (const word of new Set([...name, ...description, ...body])) discountWord(prepare, word);
    prepare("DELETE FROM topic_text WHERE rowid = ?").run(Number(id));
    prepare("DELETE FROM topic WHERE id = ?").run(Number(id));
  }

  function readTerms(id: number): Pick<Candidate, "name" | "description" | "body"> {
    const row = prepare("SELECT name, description, body FROM topic_text WHERE rowid = ?").get(id) ?? {};
    return { name: split(row["name"]), description: split(row["description"]), body: split(row["body"]) };
  }

  /** Topics by what they can have of the query at best. Each unit is asked for by itself, the rarest first. */
  function findCandidates(units: readonly Unit[]): readonly number[] {
    const known = units.filter(({ matches }) => matches.size > 0).toSorted((one, other) => one.topics - other.topics);
    const said = new Map<number, number>();
    let mentions = 0;
    for (const { matches, topics, weight } of known) {
      mentions += topics;
      if (said.size > 0 && mentions > MAX_MENTIONS) break;
      // Terms have letters, digits and two signs that are no quotes: nothing to escape.
      const any = [...matches.keys()].map((term) => `"${term}"`).join(" OR ");
      // One value instead of thousands of rows, each of which would become an object.
      const ids = prepare("SELECT json_group_array(rowid) AS ids FROM topic_text WHERE topic_text MATCH ?").get(any);
      const most = weight * Math.max(...matches.values());
      for (const id of JSON.parse(String(ids?.["ids"])) as number[]) said.set(id, (said.get(id) ?? 0) + most);
    }
    return [...said]
      .toSorted((one, other) => other[1] - one[1])
      .slice(0, CANDIDATES)
      .map(([id]) => id);
  }

  function readCandidate(id: number): Candidate {
    const { slug, updated_at_ms: updatedAtMs } =
      prepare("SELECT slug, updated_at_ms FROM topic WHERE id = ?").get(id) ?? {};
    return { slug: String(slug), updatedAtMs: Number(updatedAtMs), ...readTerms(id) };
  }

  return {
    put: (topic) => atOnce(database, () => put(topic)),
    remove: (slug) => atOnce(database, () => remove(slug)),
    versions() {
      const rows = prepare("SELECT slug, version FROM topic").all();
      return new Map(rows.map(({ slug, version }) => [String(slug), String(version)]));
    },
    search(query, { limit, nowMs, bar = "clear" }) {
      const units = readQuery(query, topicVocabulary(prepare));
      const ranked = rankTopics(units, findCandidates(units).map(readCandidate), nowMs);
      return (bar === "clear" ? clearTopics(ranked) : ranked).slice(0, limit);
    },
  };
}

function split(terms: unknown): string[] {
  return String(terms ?? "")
    .split(" ")
    .filter((term) => term !== "");
}
