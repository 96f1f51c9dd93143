import type { Statement } from "./statement.ts";
import { isSameWord, NEGATIONS, namesIn, sentencesOf, tellingWords } from "./words.ts";

/** This many words of one sentence that a tool brought are no chance. */
const MAX_SHARED = 1;

/**
 * Returns why a reason ("why", "how to apply") must not stand beside a fact; undefined if it may. Reasons may be the model's own
 * words. They may not carry in what a tool brought, name what the user has not named, or forbid what the fact asks for.
 */
export function findBadReason(reason: string, fact: string, said: readonly Statement[]): string | undefined {
  const users = said.filter(({ by }) => by === "user").map(({ text }) => text);
  const named = users.flatMap(namesIn);
  const name = namesIn(reason).find((one) => !named.includes(one));
  if (name !== undefined) return `the user has not said ${JSON.stringify(name)}`;

  const usersWords = users.flatMap(tellingWords);
  const isAmong = (word: string, words: readonly string[]): boolean => words.some((other) => isSameWord(word, other));
  const others = [...new Set(tellingWords(reason))].filter((word) => !isAmong(word, usersWords));
  const brought = said
    .filter(({ by }) => by === "outside")
    .flatMap(({ text }) => sentencesOf(text))
    .some((sentence) => {
      const words = tellingWords(sentence);
      return others.filter((word) => isAmong(word, words)).length > MAX_SHARED;
    });
  if (brought) return "it has words that a tool brought";

  const [wanted, forbidden] = [affirmedIn(fact), forbiddenIn(reason)];
  return forbidden.some((word) => isAmong(word, wanted)) ? "it forbids what the fact asks for" : undefined;
}

function forbiddenIn(text: string): readonly string[] {
  return sentencesOf(text).flatMap((sentence) => {
    const found = NEGATIONS.exec(sentence);
    return found === null ? [] : tellingWords(sentence.slice(found.index + found[0].length));
  });
}

function affirmedIn(text: string): readonly string[] {
  const forbidden = forbiddenIn(text);
  return tellingWords(text).filter((word) => !forbidden.includes(word));
}
