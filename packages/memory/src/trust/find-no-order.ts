import { voicesIn } from "./own-words.ts";
import { kindOfSentence } from "./sentence-kind.ts";
import type { Statement } from "./statement.ts";
import { isSameWord, namesIn, ownSentences, plain, tellingWords } from "./words.ts";

/**
 * Returns why a quote is no order of the user to forget a topic; undefined if it is one. The user must have said it in their own
 * words, and it must be about the topic.
 */
export function findNoOrder(quote: string, topic: string, said: readonly Statement[]): string | undefined {
  const wanted = plain(quote);
  const words = [...tellingWords(quote), ...namesIn(quote)];
  if (words.length === 0) return "the quote says nothing";
  const sentences = said
    .filter(({ by }) => by === "user")
    .flatMap(({ text }) => {
      const { own } = voicesIn(text);
      if (!plain(own).includes(wanted)) return [];
      return ownSentences(own).filter((one) => plain(one).includes(wanted) || wanted.includes(plain(one)));
    });
  if (sentences.length === 0) return "the user has not said that";
  const kinds = sentences.map((sentence) => kindOfSentence(sentence));
  if (kinds.every((kind) => kind === "question" || kind === "reported" || kind === "supposed")) {
    return "the user does not say there that it is wrong or over";
  }
  const about = [...tellingWords(topic), ...namesIn(topic)];
  const isAbout = words.some((word) => about.some((other) => isSameWord(word, other)));
  return isAbout ? undefined : "the quote has no word of the topic";
}
