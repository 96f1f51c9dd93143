import { DatabaseSync } from "node:sqlite";
import { openTopicIndex, type TopicIndex } from "@palimpsest/memory/topic-index";
import type { Experiment, Figures } from "../experiment.ts";
import { compareOn } from "./compare.ts";
import {
  type LabelledMemory,
  type LabelledQuery,
  type QueryFromUse,
  readFromUse,
  readGermanFromUse,
  readLabelled,
} from "./labelled.ts";
import { withLetterVectors } from "./letter-vectors.ts";
import { SEARCHERS } from "./searchers.ts";

/** So many topics are attached to a message at most. */
const SHOWN = 5;
/** So many are put before a model that chooses. */
const CANDIDATES = 20;
const MANY_TOPICS = 10_000;
const DAY_OF_ASKING = Date.parse("2025-07-01");

export const recallExperiment: Experiment = {
  name: "recall",
  about: "whether the right memories are found for what people type, and none where none is right",
  async run({ size }) {
    const { memories, queries } = readLabelled();
    const index = indexOf(memories);
    const held = queries.filter(({ half }) => half === "held-out");
    const kinds = [...new Set(queries.map(({ kind }) => kind))];
    return {
      memories: memories.length,
      queries: queries.length,
      ...score(index, held),
      // What a model that chooses could reach at most; what it does reach, only its owner can measure.
      reachable_by_choice_pct: reach(index, held),
      development: score(
        index,
        queries.filter(({ half }) => half === "development"),
      ),
      by_kind: Object.fromEntries(
        kinds.map((kind) => [
          kind,
          score(
            index,
            held.filter((query) => query.kind === kind),
          ),
        ]),
      ),
      from_use: await compareSearches(memories, queries, readFromUse()),
      german_from_use: await compareSearches(memories, queries, readGermanFromUse()),
      ...(size === "quick" ? {} : { letter_vectors: await rankedWithLetters(memories, queries) }),
      ...timing(memories, held, size === "quick" ? 2_000 : MANY_TOPICS),
    };
  },
};

/** Our search and SQLite's own on queries that were written for the use of a memory and not from its text. */
async function compareSearches(
  memories: readonly LabelledMemory[],
  queries: readonly LabelledQuery[],
  fromUse: readonly QueryFromUse[],
): Promise<Figures> {
  const development = queries.filter(({ half }) => half === "development");
  const compared = new Map<string, Awaited<ReturnType<typeof compareOn>>>();
  for (const [name, searcher] of Object.entries(SEARCHERS)) {
    compared.set(name, await compareOn(await searcher(memories), development, fromUse));
  }
  const baselineMs = compared.get("fts5_porter")!.ms;
  return Object.fromEntries(
    [...compared].map(([name, { ms, ...figures }]) => [
      name,
      { ...figures, time_ratio_to_fts5_porter: rounded(ms / baselineMs, 1) },
    ]),
  );
}

/**
 * The order of a hybrid search with an embedder that knows letters and no meanings. Its bar is its own for words and for vectors, so
 * only the order is compared with `ranked_at_5_pct` of `ours`.
 */
async function rankedWithLetters(
  memories: readonly LabelledMemory[],
  queries: readonly LabelledQuery[],
): Promise<Figures> {
  const find = await withLetterVectors(memories);
  const development = queries.filter(({ half }) => half === "development");
  const ranked = async (fromUse: readonly QueryFromUse[]): Promise<number> =>
    (await compareOn(find, development, fromUse)).ranked_at_5_pct;
  return {
    from_use_ranked_at_5_pct: await ranked(readFromUse()),
    german_from_use_ranked_at_5_pct: await ranked(readGermanFromUse()),
  };
}

function indexOf(memories: readonly LabelledMemory[]): TopicIndex {
  const index = openTopicIndex(new DatabaseSync(":memory:"));
  for (const memory of memories) index.put({ ...memory, updatedAtMs: Date.parse(memory.updated), version: "1" });
  return index;
}

/** Of the queries that have an answer, how many have it among the candidates for who chooses. */
function reach(index: TopicIndex, queries: readonly LabelledQuery[]): number {
  const asked = queries.filter(({ kind }) => kind !== "no-answer");
  const reached = asked.filter(({ text, expected }) =>
    index
      .search(text, { limit: CANDIDATES, nowMs: DAY_OF_ASKING, bar: "possible" })
      .some(({ slug }) => expected.includes(slug)),
  );
  return percent(reached.length, asked.length);
}

function score(index: TopicIndex, queries: readonly LabelledQuery[]): Figures {
  const found = queries.map(({ text, expected, kind }) => {
    const slugs = index.search(text, { limit: SHOWN, nowMs: DAY_OF_ASKING }).map(({ slug }) => slug);
    return { kind, count: slugs.length, rank: slugs.findIndex((slug) => expected.includes(slug)) };
  });
  const [asked, idle] = [
    found.filter(({ kind }) => kind !== "no-answer"),
    found.filter(({ kind }) => kind === "no-answer"),
  ];
  return {
    ...(asked.length === 0
      ? {}
      : {
          asked: asked.length,
          hit_at_5_pct: percent(asked.filter(({ rank }) => rank >= 0).length, asked.length),
          mrr: rounded(asked.reduce((sum, { rank }) => sum + (rank < 0 ? 0 : 1 / (rank + 1)), 0) / asked.length, 3),
        }),
    ...(idle.length === 0
      ? {}
      : {
          no_answer: idle.length,
          no_answer_clean_pct: percent(idle.filter(({ count }) => count === 0).length, idle.length),
        }),
  };
}

/** The same memories over and over, under other names; beside it, what it takes to look at every topic once. */
function timing(memories: readonly LabelledMemory[], queries: readonly LabelledQuery[], topics: number): Figures {
  const many = Array.from({ length: topics }, (_, number) => {
    const memory = memories[number % memories.length]!;
    return { ...memory, slug: `${memory.slug}-${number}`, name: `${memory.name} ${number}` };
  });
  const index = indexOf(many);
  const searches = queries
    .slice(0, 100)
    .map(({ text }) => timed(() => index.search(text, { limit: SHOWN, nowMs: DAY_OF_ASKING })));
  const scans = queries
    .slice(0, 5)
    .map(({ text }) => timed(() => many.filter(({ body }) => body.includes(text)).length));
  const [p50, p99] = [quantile(searches, 0.5), quantile(searches, 0.99)];
  return {
    topics,
    median_search_ms: rounded(p50, 2),
    p99_search_ms: rounded(p99, 2),
    search_over_plain_scan: rounded(p50 / quantile(scans, 0.5), 1),
  };
}

function timed(act: () => unknown): number {
  const before = performance.now();
  act();
  return performance.now() - before;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

function percent(part: number, whole: number): number {
  return rounded((100 * part) / whole, 1);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
