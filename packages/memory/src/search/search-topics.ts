import type { DatabaseSync } from "node:sqlite";
import type { Topic, TopicSummary } from "../topic.ts";
import type { TopicIndex } from "./topic-index.ts";

/**
 * Chooses the candidates that the words are about: their slugs, the best first. Undefined: no choice is possible now, and the
 * words decide.
 */
export type ChooseTopics = (
  words: string,
  candidates: readonly TopicSummary[],
) => Promise<readonly string[] | undefined>;

export interface FoundSummary extends TopicSummary {
  readonly score: number;
}

/** @see Memory.search */
export type SearchTopics = (words: string, limit: number, choose?: ChooseTopics) => Promise<readonly FoundSummary[]>;

export interface TopicSearchOptions {
  readonly files: { openSearchDatabase(): DatabaseSync; now(): number };
  list(): Promise<readonly TopicSummary[]>;
  readAll(slugs: readonly string[]): Promise<readonly Topic[]>;
}

/** The number of candidates for the choice: of the labeled queries 97.5% have their topic among them. */
const CANDIDATES = 20;

/**
 * Full-text search over the topics of a memory. Its index is updated before every search, so it is never behind a write. It only
 * saves time: a missing index is rebuilt.
 */
export function createTopicSearch({ files, list, readAll }: TopicSearchOptions): SearchTopics {
  let index: TopicIndex | undefined;

  async function indexOf(topics: readonly TopicSummary[]): Promise<TopicIndex> {
    // Loaded on first use: most of this code is word lists, which are not needed while the memory is empty.
    const { openTopicIndex } = await import("./topic-index.ts");
    index ??= openTopicIndex(files.openSearchDatabase());
    const known = index.versions();
    const there = new Set(topics.map(({ slug }) => slug));
    for (const slug of known.keys()) if (!there.has(slug)) index.remove(slug);
    const changed = topics.filter(({ slug, version }) => known.get(slug) !== version).map(({ slug }) => slug);
    for (const topic of await readAll(changed)) index.put(topic);
    return index;
  }

  return async (words, limit, choose) => {
    const topics = await list();
    if (topics.length === 0) return [];
    const held = await indexOf(topics);
    const bySlug = new Map(topics.map((topic) => [topic.slug, topic]));
    const find = (most: number, bar: "clear" | "possible"): readonly FoundSummary[] =>
      held.search(words, { limit: most, nowMs: files.now(), bar }).flatMap(({ slug, score }) => {
        const topic = bySlug.get(slug);
        return topic === undefined ? [] : [{ ...topic, score }];
      });
    const possible = choose === undefined ? [] : find(CANDIDATES, "possible");
    const chosen = possible.length === 0 ? undefined : await choose!(words, possible);
    if (chosen === undefined) return find(limit, "clear");
    return [...new Set(chosen)].flatMap((slug) => possible.find((one) => one.slug === slug) ?? []).slice(0, limit);
  };
}
