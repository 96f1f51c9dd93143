import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Memory } from "../open-memory.ts";
import { OURS } from "../paths.ts";
import type { TopicSummary } from "../topic.ts";
import { openTopicIndex, type TopicIndex } from "./topic-index.ts";

export interface MemorySearchOptions {
  readonly memory: Pick<Memory, "folder" | "list" | "read">;
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

export interface FoundSummary extends TopicSummary {
  readonly score: number;
}

export interface MemorySearch {
  /** Topics that the words are clearly about, the best first; none if that is not clear of any. */
  search(words: string, limit: number): Promise<readonly FoundSummary[]>;
  close(): void;
}

const LOCK_TIMEOUT_MS = 5_000;

/**
 * Full-text search over a memory. Its index is brought in step with the topics before every search, so also with what was edited
 * by hand. It only saves time: where it is gone, it is made anew.
 */
export function createMemorySearch({ memory, clock = { now: Date.now } }: MemorySearchOptions): MemorySearch {
  let opened: { readonly database: DatabaseSync; readonly index: TopicIndex } | undefined;

  function open(): TopicIndex {
    if (opened === undefined) {
      const database = new DatabaseSync(join(memory.folder, OURS, "search.sqlite"), { timeout: LOCK_TIMEOUT_MS });
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
      opened = { database, index: openTopicIndex(database) };
    }
    return opened.index;
  }

  async function bringInStep(index: TopicIndex, topics: readonly TopicSummary[]): Promise<void> {
    const known = index.versions();
    const there = new Set(topics.map(({ slug }) => slug));
    for (const slug of known.keys()) if (!there.has(slug)) index.remove(slug);
    for (const { slug, version } of topics) {
      if (known.get(slug) === version) continue;
      const topic = await memory.read(slug);
      if (topic !== undefined) index.put(topic);
    }
  }

  return {
    async search(words, limit) {
      const topics = await memory.list();
      if (topics.length === 0) return [];
      const index = open();
      await bringInStep(index, topics);
      const bySlug = new Map(topics.map((topic) => [topic.slug, topic]));
      return index.search(words, { limit, nowMs: clock.now() }).flatMap(({ slug, score }) => {
        const topic = bySlug.get(slug);
        return topic === undefined ? [] : [{ ...topic, score }];
      });
    },
    close() {
      opened?.database.close();
      opened = undefined;
    },
  };
}
