import type { DatabaseSync } from "node:sqlite";
import type { Topic, TopicSummary } from "../topic.ts";
import type { Embedder } from "./embedder.ts";
import { fuseRanks } from "./fuse-ranks.ts";
import type { TopicIndex } from "./topic-index.ts";
import type { NearTopic, TopicVectors } from "./topic-vectors.ts";

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
  /** Finds topics by meaning, too. @default by words only */
  readonly embedder?: Embedder;
}

/** The number of candidates for the choice: of the labeled queries 97.5% have their topic among them. */
const CANDIDATES = 20;

/**
 * Full-text search over the topics of a memory. Its index is updated before every search, so it is never behind a write. It only
 * saves time: a missing index is rebuilt.
 */
export function createTopicSearch({ files, list, readAll, embedder }: TopicSearchOptions): SearchTopics {
  let index: TopicIndex | undefined;
  let vectors: TopicVectors | undefined;

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

  /** The nearest topics by meaning. An embedder that fails leaves the choice to the words. */
  async function nearTo(words: string, topics: readonly TopicSummary[]): Promise<readonly NearTopic[]> {
    if (embedder === undefined) return [];
    const { openTopicVectors } = await import("./topic-vectors.ts");
    vectors ??= openTopicVectors(files.openSearchDatabase(), embedder);
    const known = vectors.versions();
    const there = new Set(topics.map(({ slug }) => slug));
    for (const slug of known.keys()) if (!there.has(slug)) vectors.remove(slug);
    const changed = topics.filter(({ slug, version }) => known.get(slug) !== version).map(({ slug }) => slug);
    await vectors.put(await readAll(changed));
    return vectors.near(words, CANDIDATES);
  }

  return async (words, limit, choose) => {
    const topics = await list();
    if (topics.length === 0) return [];
    const held = await indexOf(topics);
    const near = await nearTo(words, topics).catch(() => []);
    const bySlug = new Map(topics.map((topic) => [topic.slug, topic]));
    const find = (most: number, bar: "clear" | "possible"): readonly FoundSummary[] => {
      const byWords = held.search(words, { limit: most, nowMs: files.now(), bar });
      const byMeaning = near.filter(({ similarity }) => bar === "possible" || similarity >= embedder!.clearAt);
      const found =
        byMeaning.length === 0
          ? byWords
          : fuseRanks([byWords, byMeaning].map((ranked) => ranked.map(({ slug }) => slug)));
      return found.slice(0, most).flatMap(({ slug, score }) => {
        const topic = bySlug.get(slug);
        return topic === undefined ? [] : [{ ...topic, score }];
      });
    };
    const possible = choose === undefined ? [] : find(CANDIDATES, "possible");
    const chosen = possible.length === 0 ? undefined : await choose!(words, possible);
    if (chosen === undefined) return find(limit, "clear");
    return [...new Set(chosen)].flatMap((slug) => possible.find((one) => one.slug === slug) ?? []).slice(0, limit);
  };
}
