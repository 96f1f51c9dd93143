import type { Unit } from "./read-query.ts";

/** A topic that has some of the query's words. */
export interface Candidate {
  readonly id: number;
  readonly slug: string;
  readonly updatedAtMs: number;
  /** The sum of the shares (`wordShare`) of the words in its name and description. */
  readonly titleSays: number;
}

export interface FoundTopic {
  readonly slug: string;
  /** From 1 on the query is clearly about this topic; topics with at least half of the best score may be meant, too. */
  readonly score: number;
  /** Words of the query that were found in it, the most significant first. */
  readonly why: readonly string[];
}

/**
 * The weight of the share of the title that the query names, relative to the share of the query that the topic has. Chosen on
 * the development half of the labeled queries, so that 9 in 10 of the idle ones stay below a score of 1.
 */
const TITLE = 6;
/** The share of the best score that another topic needs to be shown, too. */
const BESIDE_BEST = 0.5;
/** Of two equal topics the newer one comes first: by up to a tenth, half of that after 180 days. */
const FRESHNESS = 0.1;
const FRESHNESS_HALVES_MS = 180 * 24 * 60 * 60_000;

/**
 * Ranks topics by how well they fit a query, the best first. The score is the weight of the shared words, times their share of
 * the query and of the topic's name and description. A query with many other words is about something else.
 */
export function rankTopics(
  units: readonly Unit[],
  candidates: readonly Candidate[],
  nowMs: number,
): readonly FoundTopic[] {
  const asked = sum(units.map(({ weight }) => weight));
  return candidates
    .map((candidate) => ({ ...scoreTopic(units, asked, candidate), freshness: freshnessOf(candidate, nowMs) }))
    .toSorted((one, other) => other.score * other.freshness - one.score * one.freshness)
    .map(({ slug, score, why }) => ({ slug, score, why }));
}

/** Returns the ranked topics to show: none, unless the query is clearly about one of them. */
export function clearTopics(ranked: readonly FoundTopic[]): readonly FoundTopic[] {
  const best = Math.max(0, ...ranked.map(({ score }) => score));
  return best < 1 ? [] : ranked.filter(({ score }) => score >= best * BESIDE_BEST);
}

function scoreTopic(units: readonly Unit[], asked: number, { id, slug, titleSays }: Candidate): FoundTopic {
  const shared = units
    .map(({ word, weight, topics }) => ({ word, says: weight * (topics.get(id) ?? 0) }))
    .filter(({ says }) => says > 0)
    .toSorted((one, other) => other.says - one.says);
  const says = sum(shared.map((unit) => unit.says));
  const ofQuery = says / Math.max(Number.MIN_VALUE, asked);
  const inTitle = sum(units.filter((unit) => unit.inTitle.has(id)).map(({ share }) => share));
  const ofTitle = inTitle / Math.max(1, titleSays);
  return { slug, score: says * (ofQuery + TITLE * ofTitle), why: shared.map(({ word }) => word) };
}

function freshnessOf({ updatedAtMs }: Candidate, nowMs: number): number {
  return 1 + FRESHNESS * 0.5 ** (Math.max(0, nowMs - updatedAtMs) / FRESHNESS_HALVES_MS);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
