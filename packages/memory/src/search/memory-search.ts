import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Memory } from "../open-memory.ts";
import { OURS } from "../paths.ts";
import type { TopicSummary } from "../topic.ts";
import type { TopicIndex } from "./topic-index.ts";
import { openTopicUses, type TopicUse } from "./topic-uses.ts";

export interface MemorySearchOptions {
  readonly memory: Pick<Memory, "folder" | "list" | "read">;
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

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

export interface MemorySearch {
  /**
   * Topics that the words are clearly about, the best first; none if that is not clear of any.
   *
   * @param choose has the last word on whatever shares words with them
   */
  search(words: string, limit: number, choose?: ChooseTopics): Promise<readonly FoundSummary[]>;
  /** Counts that topics were shown or read. If nothing can be written, nothing is counted. */
  noteUse(slugs: readonly string[]): void;
  /** Uses of topics, also of removed ones. */
  uses(): ReadonlyMap<string, TopicUse>;
  close(): void;
}

const LOCK_TIMEOUT_MS = 5_000;
/** The number of candidates for the choice: of the labeled queries 97.5% have their topic among them. */
const CANDIDATES = 20;

/**
 * Full-text search over a memory. Its index is updated before every search, so it includes hand edits. It only saves time: a
 * missing index is rebuilt.
 */
export function createMemorySearch({ memory, clock = { now: Date.now } }: MemorySearchOptions): MemorySearch {
  let opened: DatabaseSync | undefined;
  let index: TopicIndex | undefined;

  function open(): DatabaseSync {
    if (opened === undefined) {
      opened = new DatabaseSync(join(memory.folder, OURS, "search.sqlite"), { timeout: LOCK_TIMEOUT_MS });
      opened.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    }
    return opened;
  }

  async function indexOf(topics: readonly TopicSummary[]): Promise<TopicIndex> {
    // Loaded on first use: most of this code is word lists, which are not needed while the memory is empty.
    const { openTopicIndex } = await import("./topic-index.ts");
    index ??= openTopicIndex(open());
    await reconcileFiles(index, topics);
    return index;
  }

  async function reconcileFiles(held: TopicIndex, topics: readonly TopicSummary[]): Promise<void> {
    const known = held.versions();
    const there = new Set(topics.map(({ slug }) => slug));
    for (const slug of known.keys()) if (!there.has(slug)) held.remove(slug);
    for (const { slug, version } of topics) {
      if (known.get(slug) === version) continue;
      const topic = await memory.read(slug);
      if (topic !== undefined) held.put(topic);
    }
  }

  return {
    async search(words, limit, choose) {
      const topics = await memory.list();
      if (topics.length === 0) return [];
      const held = await indexOf(topics);
      const bySlug = new Map(topics.map((topic) => [topic.slug, topic]));
      const find = (most: number, bar: "clear" | "possible"): readonly FoundSummary[] =>
        held.search(words, { limit: most, nowMs: clock.now(), bar }).flatMap(({ slug, score }) => {
          const topic = bySlug.get(slug);
          return topic === undefined ? [] : [{ ...topic, score }];
        });
      const possible = choose === undefined ? [] : find(CANDIDATES, "possible");
      const chosen = possible.length === 0 ? undefined : await choose!(words, possible);
      if (chosen === undefined) return find(limit, "clear");
      return [...new Set(chosen)].flatMap((slug) => possible.find((one) => one.slug === slug) ?? []).slice(0, limit);
    },
    noteUse(slugs) {
      if (slugs.length === 0 || !existsSync(join(memory.folder, OURS))) return;
      try {
        openTopicUses(open()).note(slugs, clock.now());
      } catch {
        // A full or read-only disk: a count must not make a turn fail.
      }
    },
    uses: () => (existsSync(join(memory.folder, OURS)) ? openTopicUses(open()).all() : new Map()),
    close() {
      opened?.close();
      opened = undefined;
      index = undefined;
    },
  };
}
