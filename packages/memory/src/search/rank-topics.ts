import type { Unit } from "./read-query.ts";

/** A topic that has some of the query's words. */
export interface Candidate {
  readonly id: number;
  readonly slug: string;
  readonly updatedAtMs: number;
  /** The sum of what the words of its name and description can say (`wordShare`). */
  readonly titleSays: number;
}

export interface FoundTopic {
  readonly slug: string;
  /** From 1 on it is clear that the query is about it, and what has at least half of the best one's may be meant, too. */
  readonly score: number;
  /** Words of the query that were found in it, what says most first. */
  readonly why: readonly string[];
}

/**
 * How much the part of the title counts that the query names, beside the part of the query that the topic has. Chosen on the
 * development half of the labeled queries, so that 9 in 10 of those that are about nothing remembered stay below a score of 1.
 */
const TITLE = 6;
/** Of the best topic's score, what another must have to be shown beside it. */
const BESIDE_BEST = 0.5;
/** Of two that fit as well, the newer one comes first: by up to a tenth, half of that after 180 days. */
const FRESHNESS = 0.1;
const FRESHNESS_HALVES_MS = 180 * 24 * 60 * 60_000;

/**
 * How well topics fit a query, the best first. What counts is how much the words say that both have, and how much that is of
 * what the query says, and of what the topic's name and description say. A query that says much more is about something else.
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

/** Of ranked topics, those to show: none, unless it is clear that the query is about one of them. */
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
