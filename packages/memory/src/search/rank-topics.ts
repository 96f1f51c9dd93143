import type { Unit } from "./read-query.ts";
import { wordShare } from "./word-share.ts";

/** A topic that has some of the query's words. */
export interface Candidate {
  readonly slug: string;
  readonly updatedAtMs: number;
  /** Its terms, by where they stand. */
  readonly name: readonly string[];
  readonly description: readonly string[];
  readonly body: readonly string[];
}

export interface FoundTopic {
  readonly slug: string;
  /** From 1 on it is clear that the query is about it, and what has at least half of that may be meant, too. */
  readonly score: number;
  /** Words of the query that were found in it, what says most first. */
  readonly why: readonly string[];
}

/** What a word counts by where it stands: bodies are long, and mention things in passing. */
const PLACES = { name: 1.2, description: 1, body: 0.9 } as const;
/** What is left of a score if neither name nor description has any of the query's words. */
const IN_PASSING = 0.7;
/**
 * What the best topic must have for it to be clear. On the development half of the labelled queries, 9 in 10 of those that are
 * about nothing remembered stay below it; some words were chosen by looking at them, so others do so less often.
 */
const CLEAR = 0.44;
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
  return candidates
    .map((candidate) => ({ ...scoreTopic(units, candidate), freshness: freshnessOf(candidate, nowMs) }))
    .toSorted((one, other) => other.score * other.freshness - one.score * one.freshness)
    .map(({ slug, score, why }) => ({ slug, score, why }));
}

/** Of ranked topics, those to show: none, unless it is clear that the query is about one of them. */
export function clearTopics(ranked: readonly FoundTopic[]): readonly FoundTopic[] {
  const best = Math.max(0, ...ranked.map(({ score }) => score));
  return best < 1 ? [] : ranked.filter(({ score }) => score >= best * BESIDE_BEST);
}

function scoreTopic(units: readonly Unit[], topic: Candidate): FoundTopic {
  const places = new Map<string, number>();
  // The last one counts, where a term stands in several.
  for (const place of ["body", "description", "name"] as const) {
    for (const term of topic[place]) places.set(term, PLACES[place]);
  }
  const shared = units.map(({ text, weight, matches }) => {
    let best = 0;
    for (const [term, sureness] of matches) best = Math.max(best, sureness * (places.get(term) ?? 0));
    return { text, says: weight * best };
  });
  const says = sum(shared.map((unit) => unit.says));
  const ofQuery = says / Math.max(Number.MIN_VALUE, sum(units.map(({ weight }) => weight)));
  const title = ofTitle(units, topic);
  return {
    slug: topic.slug,
    score: (says * (ofQuery + title) * (title > 0 ? 1 : IN_PASSING)) / CLEAR,
    why: shared
      .filter((unit) => unit.says > 0)
      .toSorted((one, other) => other.says - one.says)
      .map(({ text }) => text),
  };
}

/** Of what the topic's name and description say, the part that the query names. */
function ofTitle(units: readonly Unit[], { name, description }: Candidate): number {
  const title = [...new Set([...name, ...description])].map((term) => ({ term, share: wordShare(term) }));
  const named = title.filter(({ term }) => units.some(({ matches }) => matches.has(term)));
  return sum(named.map(({ share }) => share)) / Math.max(1, sum(title.map(({ share }) => share)));
}

function freshnessOf({ updatedAtMs }: Candidate, nowMs: number): number {
  return 1 + FRESHNESS * 0.5 ** (Math.max(0, nowMs - updatedAtMs) / FRESHNESS_HALVES_MS);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
