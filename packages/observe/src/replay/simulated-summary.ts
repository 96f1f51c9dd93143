import type { UsedFact } from "./facts.ts";

/** The facts of each item in the view, oldest item first. */
export type FactsInView = readonly Iterable<UsedFact>[];

/** Recorded summaries have about 3,100 tokens, or 4,100 with their scratchpad. */
export const SUMMARY_TOKENS = { summary: 3_100, scratchpad: 1_000 };

/** Assumed, not measured: a usual speed of large models, and a round trip with the first token. */
const OUTPUT_TOKENS_PER_SECOND = 70;
const SECONDS_TO_FIRST_TOKEN = 2;

/** How long a model takes to write so many tokens. */
export function writingMs(outputTokens: number): number {
  return 1_000 * (SECONDS_TO_FIRST_TOKEN + outputTokens / OUTPUT_TOKENS_PER_SECOND);
}

/**
 * The share of a summary that is facts; an item has half the weight of one ten items later. With this rule, 66% of the
 * facts needed after 36 recorded compactions would have been in the summary; the recorded summaries also contained 66%.
 */
const FACT_SHARE = 0.3;
const HALF_LIFE = 10;
const CHARACTERS_PER_TOKEN = 3.6;

/**
 * Returns the facts that a model copies into a summary: the most frequent and the latest. The simulated model knows
 * only its view, not future needs, and treats all policies alike.
 */
export function factsToKeep(view: FactsInView, tokens: number): readonly UsedFact[] {
  const scores = new Map<UsedFact, number>();
  for (const [index, facts] of view.entries()) {
    const weight = 0.5 ** ((view.length - 1 - index) / HALF_LIFE);
    for (const fact of facts) scores.set(fact, (scores.get(fact) ?? 0) + weight);
  }
  const ranked = [...scores].sort(([, one], [, other]) => other - one);
  let leftCharacters = tokens * FACT_SHARE * CHARACTERS_PER_TOKEN;
  const kept: UsedFact[] = [];
  for (const [fact] of ranked) {
    leftCharacters -= factText(fact).length + LINE_CHARACTERS;
    if (leftCharacters < 0) break;
    kept.push(fact);
  }
  return kept;
}

const LINE_CHARACTERS = 3;

/** Renders facts as lines of a list, each verbatim. */
export function factLines(facts: readonly UsedFact[]): string {
  return facts.map((fact) => `- ${factText(fact)}`).join("\n");
}

function factText(fact: UsedFact): string {
  return fact.slice(fact.indexOf(" ") + 1);
}

const SENTENCE = "The work went on as it was asked for and the next part of it was looked at and then changed. ";

/** Returns meaningless text of a given size. */
export function prose(bytes: number): string {
  return SENTENCE.repeat(Math.ceil(Math.max(0, bytes) / SENTENCE.length)).slice(0, Math.max(0, Math.floor(bytes)));
}
