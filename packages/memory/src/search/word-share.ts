import { FUNCTION_WORDS } from "./function-words.ts";

/** The share of its weight that a common word keeps. Chosen on the development half of the labeled queries. */
const COMMON_SHARE = 0.6;

/** Returns how much a word can say about the subject of a text, from 0 (`the`, `7`) to 1 (`lidar`), in any collection. */
export function wordShare(word: string, isCommon: (word: string) => boolean): number {
  if (FUNCTION_WORDS.has(word) || /^([a-z]|\p{N}{1,2})$/u.test(word)) return 0;
  return isCommon(word) ? COMMON_SHARE : 1;
}
