import type { TopicSummary } from "../topic.ts";
import { isSameWord, NEGATIONS, namesIn, tellingWords } from "../trust/words.ts";

/** The share of words that two texts of one fact have in common. */
const MIN_SHARED = 0.8;

/**
 * Finds the topic that a new fact is about already: it says the same, or the opposite. Index lines hold the facts, so no topic has
 * to be read.
 */
export function findSame(fact: string, topics: readonly TopicSummary[]): TopicSummary | undefined {
  const words = contentOf(fact);
  if (words.length < 2) return undefined;
  return topics.find(({ description }) => {
    const others = contentOf(description);
    const isShared = (word: string, among: readonly string[]): boolean =>
      among.some((other) => isSameWord(word, other));
    const shared = words.filter((word) => isShared(word, others)).length;
    const back = others.filter((word) => isShared(word, words)).length;
    return (shared + back) / (words.length + others.length) >= MIN_SHARED;
  });
}

/** Words that say how often or not at all make no other fact: "always squash" and "never squash" are about one thing. */
function contentOf(text: string): readonly string[] {
  return [...new Set([...tellingWords(text), ...namesIn(text)])].filter(
    (word) => !NEGATIONS.test(word) && !/^(?:always|immer|never|nie)$/.test(word),
  );
}
