import { voicesIn } from "./own-words.ts";
import { kindOfSentence } from "./sentence-kind.ts";
import type { Statement } from "./statement.ts";
import { isSameWord, namesIn, ownSentences, segmentsOf, tellingWords } from "./words.ts";

/** Two earlier messages that ask for the same make a habit with the new one. */
const EARLIER_MESSAGES = 2;
const SHARED_WORDS = 2;

/**
 * Returns the sentences of the user that a memory could rest on: those that hold beyond the moment, and those that say for the third
 * time what earlier messages said. Where there is none, no model has to be asked.
 * @param said the new messages
 * @param earlier messages of the session before them
 */
export function findLasting(said: readonly Statement[], earlier: readonly Statement[] = []): readonly string[] {
  const users = said.filter(({ by }) => by === "user");
  const before = earlier.filter(({ by }) => by === "user").map(({ text }) => contentOf(voicesIn(text).own));
  return users.flatMap(({ text }) => {
    const sentences = ownSentences(voicesIn(text).own);
    const found = sentences.filter((sentence) => {
      // What stands behind may be about the moment: "dumps are in the bucket, the last one is from tonight".
      const parts = segmentsOf(sentence);
      const kinds = parts.map((_, at) => kindOfSentence(sentence, parts.slice(0, at + 1).join(", ")));
      return kinds.includes("lasting") || (kinds.includes("plain") && isRepeated(contentOf(sentence), before));
    });
    before.push(contentOf(text));
    return found;
  });
}

function isRepeated(words: readonly string[], before: readonly (readonly string[])[]): boolean {
  const alike = before.filter(
    (message) => words.filter((word) => message.some((other) => isSameWord(word, other))).length >= SHARED_WORDS,
  );
  return alike.length >= EARLIER_MESSAGES;
}

function contentOf(text: string): readonly string[] {
  return [...new Set([...tellingWords(text), ...namesIn(text)])];
}
