import { stemmer } from "@orama/stemmers/german";
import { FUNCTION_WORDS } from "./function-words.ts";

/** Stands before a stem, so that no word is taken for one: words have letters and digits only. */
const MARK = "§";

/**
 * The German stem of a word, as a term of the index. FTS5 stems English only (`porter`), and would leave `Termine` and
 * `Terminen` two words.
 */
export function germanStem(word: string): string {
  return `${MARK}${stemmer(word)}`;
}

/** The words, and the German stems of those that say something. */
export function withGermanStems(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => (FUNCTION_WORDS.has(word) ? [word] : [word, germanStem(word)]));
}
