import type { LabelledMemory, QueryFromUse as Query } from "./labelled.ts";

export interface Scored {
  readonly slug: string;
  readonly score: number;
}

/** Fills itself with memories; then finds the best 20 for a text, whether or not they fit well. */
export type Searcher = (memories: readonly LabelledMemory[]) => Promise<Find>;
export type Find = (text: string) => readonly Scored[] | Promise<readonly Scored[]>;

/** So many topics are attached to a message at most; the others must have half of the best one's score. */
const SHOWN = 5;
const BESIDE_BEST = 0.5;
/**
 * Scores of two ways to search have nothing in common, so each gets its own bar: the one below which this share stays of the
 * development queries that no memory answers. Averaged over four, since a single one is a matter of luck.
 */
const CLEAN_SHARES = [0.8, 0.85, 0.9, 0.95];

/** Of what is found above a bar: how often the right one is among the first, and how often nothing where nothing is right. */
export interface Comparison {
  readonly recall_at_3_pct: number;
  readonly recall_at_5_pct: number;
  readonly no_answer_clean_pct: number;
  /** Recall at 5 without a bar: what is ranked well, however sure it is. */
  readonly ranked_at_5_pct: number;
  readonly ms: number;
}

export async function compareOn(
  find: Find,
  development: readonly Query[],
  queries: readonly Query[],
): Promise<Comparison> {
  const known = await findAll(find, development);
  const before = performance.now();
  const found = await findAll(find, queries);
  const ms = (performance.now() - before) / queries.length;
  const bars = CLEAN_SHARES.map((share) => barFor(known, share));
  const [asked, idle] = [
    found.filter(({ kind }) => kind !== "no-answer"),
    found.filter(({ kind }) => kind === "no-answer"),
  ];
  const within = (first: number) => (bar: number) =>
    share(asked, (query) => shown(query, bar).slice(0, first).some(isExpected(query)));
  return {
    recall_at_3_pct: meanPercent(bars.map(within(3))),
    recall_at_5_pct: meanPercent(bars.map(within(5))),
    no_answer_clean_pct: meanPercent(bars.map((bar) => share(idle, (query) => shown(query, bar).length === 0))),
    ranked_at_5_pct: meanPercent([share(asked, (query) => query.scored.slice(0, 5).some(isExpected(query)))]),
    ms,
  };
}

interface Found extends Query {
  readonly scored: readonly Scored[];
}

async function findAll(find: Find, queries: readonly Query[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const query of queries) found.push({ ...query, scored: await find(query.text) });
  return found;
}

function shown({ scored }: Found, bar: number): readonly Scored[] {
  const best = bestOf(scored);
  return best < bar ? [] : scored.filter(({ score }) => score >= BESIDE_BEST * best).slice(0, SHOWN);
}

function barFor(found: readonly Found[], cleanShare: number): number {
  const bests = found
    .filter(({ kind }) => kind === "no-answer")
    .map(({ scored }) => bestOf(scored))
    .toSorted((one, other) => one - other);
  return bests[Math.ceil(cleanShare * bests.length) - 1]! + Number.EPSILON;
}

function bestOf(scored: readonly Scored[]): number {
  return Math.max(0, ...scored.map(({ score }) => score));
}

function isExpected({ expected }: Query): (scored: Scored) => boolean {
  return ({ slug }) => expected.includes(slug);
}

function share(queries: readonly Found[], holds: (query: Found) => boolean): number {
  return queries.filter(holds).length / Math.max(1, queries.length);
}

function meanPercent(shares: readonly number[]): number {
  return Number(((100 * shares.reduce((sum, one) => sum + one, 0)) / shares.length).toFixed(1));
}
