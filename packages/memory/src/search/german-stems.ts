import { stemmer } from "@orama/stemmers/german";
import { FUNCTION_WORDS } from "./function-words.ts";

/** Marks a stem, so that no word equals one: words have letters and digits only. */
const MARK = "§";

/**
 * Returns the German stem of a word, as a term of the index. FTS5 stems English only (`porter`), and would keep `Termine` and
 * `Terminen` apart.
 */
export function germanStem(word: string): string {
  return `${MARK}${stemmer(word)}`;
}

/** Returns the words, and the German stems of all words but function words. */
export function withGermanStems(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => (FUNCTION_WORDS.has(word) ? [word] : [word, germanStem(word)]));
}
