import { expect, test } from "vitest";
import { minimumTokens } from "./budget.ts";
import { type Features, NO_FEATURES } from "./features.ts";

test.each<[string, Partial<Features>, number]>([
  ["words by their number and length", { words: 10, letters: 60 }, 12],
  ["numbers by their number and length", { numbers: 10, digits: 100 }, 21],
  ["marks and line ends by half", { marks: 30, lines: 20, spaces: 200 }, 25],
  ["letters of other scripts by a fifth", { foreignLetters: 100 }, 20],
  ["ideographs and symbols by half, emoji whole", { ideographs: 10, symbols: 10, emoji: 3 }, 13],
  ["never more than a token for five characters of ordinary text", { words: 100, letters: 100 }, 40],
  ["no word that is longer than any language has", { words: 1, letters: 1_000, runOnLetters: 1_000 }, 0],
  ["nothing of what a provider may count in its own way", { images: 3, documents: 2, toolCalls: 9, blocks: 9 }, 0],
  ["what a tokenizer has counted, as it was counted", { countedTokens: 77 }, 77],
])("the fewest tokens: %s", (_, features, tokens) => {
  expect(minimumTokens({ ...NO_FEATURES, ...features })).toBe(tokens);
});
