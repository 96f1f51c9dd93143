import { FEATURE_NAMES, type FeatureName, type Features } from "./features.ts";

/**
 * The least that a tokenizer makes of each feature. Words are counted as public tokenizers count the commonest; runs of one
 * sign, which some put into a single token, and whatever a provider may leave out or count in its own way (images, thinking,
 * the form of blocks) count nothing.
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

/** No tokenizer takes more characters of ordinary text into a token, on the average. */
const MAX_CHARACTERS_PER_TOKEN = 5;
const PLAIN: readonly FeatureName[] = [
  ...(["words", "letters", "numbers", "digits", "marks", "furtherMarks", "lines", "spaces"] as const),
];

/** How many tokens a content has at the least, whatever the tokenizer: below that, something was not read. */
export function minimumTokens(features: Features): number {
  const sum = (names: readonly FeatureName[], of: (name: FeatureName) => number): number =>
    names.reduce((total, name) => total + of(name) * features[name], 0);
  const plain = sum(PLAIN, (name) => LEAST_TOKENS_PER[name] ?? 0);
  const others = sum(
    FEATURE_NAMES.filter((name) => !PLAIN.includes(name)),
    (name) => LEAST_TOKENS_PER[name] ?? 0,
  );
  // Letters that no language has in one word are fillers, and compress like them.
  const fillers = (LEAST_TOKENS_PER.letters ?? 0) * features.runOnLetters;
  const byLength = sum(PLAIN, () => 1) / MAX_CHARACTERS_PER_TOKEN;
  return Math.floor(Math.min(plain - fillers, byLength) + others);
}
