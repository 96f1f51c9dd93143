// Detects servers that silently cut an input that was too long.

import type { UsagePayload } from "../log/payload.ts";
import { inputTokensOf } from "../log/usage.ts";
import {
  addFeatures,
  errorShare,
  estimateTokens,
  FEATURE_NAMES,
  type FeatureName,
  type Features,
  NO_FEATURES,
} from "../size/calibration.ts";
import type { View } from "./view.ts";

/**
 * Finds out whether a server silently cut the input. Its report is then far below the size that was sent. Checks only reports of
 * the whole input: skips reports with cache reads or edits, and servers that count only new input.
 */
export function findTruncation(view: View, reported: Reported): Truncation | undefined {
  const { awaited, anchor, calibration } = view;
  const readTokens = inputTokensOf(reported);
  const { answers, cacheReadTokens, cacheWriteTokens, appliedEdits, folded, deletedTokens = 0 } = reported;
  const isWhole = cacheReadTokens + cacheWriteTokens + deletedTokens === 0 && appliedEdits === undefined;
  if (awaited === undefined || answers !== awaited.request || readTokens === 0) return undefined;
  if (!isWhole || folded !== undefined || awaited.edits !== undefined) return undefined;
  const addedTokens = estimateTokens(calibration, awaited.since);
  const expectedTokens = (anchor?.tokens ?? 0) + addedTokens;
  // The usual case is cheap: the view is read only if the report is lower than expected.
  if (readTokens >= (1 - LEAST_ERROR_SHARE) * expectedTokens && !isStuck(view, readTokens)) return undefined;
  if (anchor !== undefined && countsOnlyNew(readTokens, addedTokens, anchor.tokens)) return undefined;
  const features = featuresSent(view, awaited.request);
  const hasThinking = features.signatureCharacters > 0;
  const share = 1 - Math.max(LEAST_ERROR_SHARE, errorShare(calibration));
  const believed = !hasThinking && isStuck(view, readTokens) ? STUCK_SHARE : share;
  const least = believed * minimumTokens(features);
  if (readTokens >= least || least - readTokens < LEAST_MISSING_TOKENS * believed) return undefined;
  return { sentTokens: Math.max(expectedTokens, estimateTokens(calibration, features)), readTokens };
}

/** The estimated size of a request, and the size that the server reports. */
export interface Truncation {
  readonly sentTokens: number;
  readonly readTokens: number;
}

type Reported = Pick<
  UsagePayload,
  "answers" | "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "appliedEdits" | "folded" | "deletedTokens"
>;

/** The smallest difference to report. */
const LEAST_MISSING_TOKENS = 500;
/** The smallest assumed error of the estimate: the next content may be of another kind, however good earlier estimates were. */
const LEAST_ERROR_SHARE = 0.15;
/** Weaker evidence is enough if the reported input did not grow although content was added. */
const STUCK_SHARE = 0.95;
const LEAST_ADDED_TOKENS = 50;

/** Whether the input is not larger than the input of the previous request, although content was added. */
function isStuck({ anchor, awaited }: View, readTokens: number): boolean {
  if (anchor?.inputTokens === undefined || anchor.prefix === "changed") return false;
  return readTokens <= anchor.inputTokens && minimumTokens(awaited!.since) >= LEAST_ADDED_TOKENS;
}

/** Whether the server reports only the new input, as servers do that keep a processed prefix. */
function countsOnlyNew(readTokens: number, addedTokens: number, knownTokens: number): boolean {
  return readTokens < knownTokens && readTokens >= 0.4 * addedTokens && readTokens <= 1.6 * addedTokens + 100;
}

/** Sums the features of the items in the request, without newer items. */
function featuresSent({ configuration, items }: View, request: number): Features {
  return items.reduce(
    (sum, item) => (item.kind === "message" && item.to < request ? addFeatures(sum, item.features) : sum),
    configuration?.features ?? NO_FEATURES,
  );
}

/** Returns the fewest tokens that the content can have with any tokenizer. A server that reports fewer did not read all of it. */
export function minimumTokens(features: Features): number {
  const sum = (names: readonly FeatureName[], of: (name: FeatureName) => number): number =>
    names.reduce((total, name) => total + of(name) * features[name], 0);
  const plain = sum(PLAIN, (name) => LEAST_TOKENS_PER[name] ?? 0);
  const others = sum(
    FEATURE_NAMES.filter((name) => !PLAIN.includes(name)),
    (name) => LEAST_TOKENS_PER[name] ?? 0,
  );
  // Words that are longer than in any language are fillers, and compress like fillers.
  const fillers = (LEAST_TOKENS_PER.letters ?? 0) * features.runOnLetters;
  const byLength = sum(PLAIN, () => 1) / MAX_CHARACTERS_PER_TOKEN;
  return Math.floor(Math.min(plain - fillers, byLength) + others);
}

/**
 * The fewest tokens that a tokenizer makes of each feature. The figure for words is that of the most common words in public
 * tokenizers. Runs of one character, which may be a single token, and content that a provider may leave out or count in its own way
 * (images, thinking, the structure of blocks) count zero.
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

/** The most characters of ordinary text per token, on average, with any tokenizer. */
const MAX_CHARACTERS_PER_TOKEN = 5;
const PLAIN: readonly FeatureName[] = [
  ...(["words", "letters", "numbers", "digits", "marks", "furtherMarks", "lines", "spaces"] as const),
];
