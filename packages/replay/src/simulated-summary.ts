import type { UsedFact } from "./facts.ts";

/** What can be read of one thing in view: its facts, oldest thing first. */
export type FactsInView = readonly Iterable<UsedFact>[];

/** Recorded summaries have some 3,100 tokens, with a scratchpad before them 4,100. */
export const SUMMARY_TOKENS = { summary: 3_100, scratchpad: 1_000 };

/**
 * Of a summary, so much is facts; and a thing counts half as much as one that came ten later. By that rule 66% of what was
 * needed after 36 recorded compactions would have stood in the summary, and of the summaries written then 66% did.
 */
const FACT_SHARE = 0.3;
const HALF_LIFE = 10;
const CHARACTERS_PER_TOKEN = 3.6;

/**
 * The facts that a model copies into a summary: those that came up most, and last. The simulated model knows no more than
 * what is in its view, and nothing of what will be needed; it writes for all policies alike.
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

/** As lines of a list, each as it was written. */
export function factLines(facts: readonly UsedFact[]): string {
  return facts.map((fact) => `- ${factText(fact)}`).join("\n");
}

function factText(fact: UsedFact): string {
  return fact.slice(fact.indexOf(" ") + 1);
}

const SENTENCE = "The work went on as it was asked for and the next part of it was looked at and then changed. ";

/** Words that say nothing, of a given size. */
export function prose(bytes: number): string {
  return SENTENCE.repeat(Math.ceil(Math.max(0, bytes) / SENTENCE.length)).slice(0, Math.max(0, Math.floor(bytes)));
}
