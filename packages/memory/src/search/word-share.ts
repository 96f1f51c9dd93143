import { COMMON_WORDS } from "./common-words.ts";
import { FUNCTION_WORDS } from "./function-words.ts";
import { SAME_MEANING } from "./same-meaning.ts";
import { stemOf } from "./stem.ts";

/** Of the weight that its rarity gives it, what a common word keeps. Chosen on the development half of the labelled queries. */
const COMMON_SHARE = 0.5;

/**
 * How much a word can say about what a text is about, from 0 (`the`) to 1 (`lidar`), whatever collection it stands in. A word
 * of another script is as common as the words that mean the same.
 */
export function wordShare(word: string): number {
  const isSpelled = /^[a-z]/.test(word);
  if (FUNCTION_WORDS.has(word) || (isSpelled && word.length === 1)) return 0;
  const others = isSpelled ? [] : (SAME_MEANING.get(word) ?? []);
  return [word, ...others].some((one) => COMMON_WORDS.has(stemOf(one))) ? COMMON_SHARE : 1;
}
