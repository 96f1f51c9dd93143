import { FUNCTION_WORDS, WORKING_WORDS } from "./common-words.ts";
import { EVERYDAY_WORDS } from "./everyday-words.ts";
import { SAME_MEANING } from "./same-meaning.ts";
import { stemOf } from "./stem.ts";

/** Of the weight that its rarity gives it, what a word keeps. Chosen on the development half of the labelled queries. */
const SHARES = { working: 0.35, everyday: 0.5 } as const;

/**
 * How much a word can say about what a text is about, from 0 (`the`) to 1 (`lidar`), whatever collection it stands in. A word
 * of another script is as common as the words that mean the same.
 */
export function wordShare(word: string): number {
  const isSpelled = /^[a-z]/.test(word);
  if (FUNCTION_WORDS.has(word) || (isSpelled && word.length === 1)) return 0;
  const others = isSpelled ? [] : (SAME_MEANING.get(word) ?? []);
  const forms = [word, ...others].flatMap((one) => [one, stemOf(one)]);
  if (forms.some((form) => WORKING_WORDS.has(form))) return SHARES.working;
  return forms.some((form) => EVERYDAY_WORDS.has(form)) ? SHARES.everyday : 1;
}
