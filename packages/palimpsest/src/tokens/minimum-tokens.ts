import { FEATURE_NAMES, type FeatureName, type Features } from "./features.ts";

/**
 * The fewest tokens that a tokenizer makes of each feature. Words count as public tokenizers count the most common ones. Runs
 * of one character, which some tokenizers put into a single token, and content that a provider may leave out or count in its
 * own way (images, thinking, the structure of blocks) count nothing.
 */
const LEAST_TOKENS_PER: Partial<Readonly<Record<FeatureName, number>>> = {
  words: 0.6,
  letters: 0.1,
  numbers: 0.6,
  digits: 0.15,
  marks: 0.5,
  lines: 0.5,
  foreignLetters: 0.2,
  symbols: 0.5,
  ideographs: 0.5,
  emoji: 1,
  countedTokens: 1,
};

/** No tokenizer puts more characters of ordinary text into a token on average. */
const MAX_CHARACTERS_PER_TOKEN = 5;
const PLAIN: readonly FeatureName[] = [
  ...(["words", "letters", "numbers", "digits", "marks", "furtherMarks", "lines", "spaces"] as const),
];

/** Returns the fewest tokens that content can have with any tokenizer: below that, something was not read. */
export function minimumTokens(features: Features): number {
  const sum = (names: readonly FeatureName[], of: (name: FeatureName) => number): number =>
    names.reduce((total, name) => total + of(name) * features[name], 0);
  const plain = sum(PLAIN, (name) => LEAST_TOKENS_PER[name] ?? 0);
  const others = sum(
    FEATURE_NAMES.filter((name) => !PLAIN.includes(name)),
    (name) => LEAST_TOKENS_PER[name] ?? 0,
  );
  // Words longer than in any language are fillers, and compress like them.
  const fillers = (LEAST_TOKENS_PER.letters ?? 0) * features.runOnLetters;
  const byLength = sum(PLAIN, () => 1) / MAX_CHARACTERS_PER_TOKEN;
  return Math.floor(Math.min(plain - fillers, byLength) + others);
}
