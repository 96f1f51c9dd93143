// Estimates tokens from features of content, and learns from the provider's reports how the model's tokenizer counts.

import type { Block } from "../log/block.ts";

/**
 * The state that a session has learned about its tokenizer: for each class of content, the ratio of actual to expected tokens. The
 * state is complete, plain JSON: stored with the session, it gives the same estimates in a later release.
 */
export interface Calibration {
  readonly prior: TokenizerPrior;
  /** One ratio for each of `CLASSES`. */
  readonly ratios: readonly number[];
  /** The covariance of the ratios, row by row: how certain each ratio is, and which ratios were only observed together. */
  readonly covariance: readonly number[];
  /** Estimated tokens and their error, weighted toward recent ones; the pad follows from them. */
  readonly estimatedTokens: number;
  readonly wrongTokens: number;
  /**
   * The content of the first reported request, and its reported size. Most of the content is the system prompt and the tools, which
   * stay after every compaction.
   */
  readonly first?: Observation | undefined;
}

/** The expected tokens for one unit of each feature. A model can have its own prior. */
interface TokenizerPrior {
  readonly tokensPer: Readonly<Record<FeatureName, number>>;
}

/** Returns the calibration before the first response: the prior alone. */
export function startCalibration(prior: TokenizerPrior = DEFAULT_PRIOR): Calibration {
  const covariance = CLASSES.flatMap((_, row) => CLASSES.map((_, column) => (row === column ? RATIO_VARIANCE : 0)));
  return { prior, ratios: CLASSES.map(() => 1), covariance, ...START };
}

/** Reads a stored state, or creates a new one if the stored state does not fit. */
export function readCalibration(stored: unknown, prior?: TokenizerPrior): Calibration {
  const start = startCalibration(prior);
  return fits(stored, start) ? (stored as Calibration) : start;
}

function fits(stored: unknown, start: Calibration): boolean {
  if (typeof stored !== "object" || stored === null) return false;
  const { prior, ratios, covariance, estimatedTokens, wrongTokens } = stored as Partial<Calibration>;
  const areNumbers = (values: readonly unknown[] | undefined, length: number): boolean =>
    Array.isArray(values) && values.length === length && values.every(Number.isFinite);
  return (
    areNumbers(ratios, start.ratios.length) &&
    areNumbers(covariance, start.covariance.length) &&
    areNumbers([estimatedTokens, wrongTokens], 2) &&
    areNumbers(
      FEATURE_NAMES.map((name) => prior?.tokensPer?.[name]),
      FEATURE_NAMES.length,
    )
  );
}

/** Estimates the tokens of features. */
export function estimateTokens({ prior, ratios }: Calibration, features: Features): number {
  return Math.round(dot(ratios, priorTokens(prior, features)));
}

/**
 * The tokens that an estimate of a whole prompt misses: text that the provider adds to the system prompt and the tools, and the error
 * of their estimate. Known from the first report, and negative if the estimate is too high.
 */
export function missedTokens(calibration: Calibration): number {
  const { first } = calibration;
  if (first === undefined) return 0;
  const estimated = estimateTokens(calibration, first.features);
  // A report that is far from the estimate has other reasons, such as a document.
  return Math.min(estimated, first.tokens - estimated);
}

/** Remembers the first report. */
export function rememberFirst(calibration: Calibration, first: Observation): Calibration {
  return calibration.first === undefined && first.tokens > 0 ? { ...calibration, first } : calibration;
}

/** Adds room for the error to an estimate, to compare it with a limit: a third at the start, then the recent error share. */
export function padTokens(calibration: Calibration, estimatedTokens: number): number {
  return Math.ceil(estimatedTokens * (1 + errorShare(calibration)));
}

/** Returns the error share of recent estimates; a third at the start. */
export function errorShare({ wrongTokens, estimatedTokens }: Calibration): number {
  return wrongTokens / estimatedTokens;
}

/** Updates the ratios by recursive least squares, with a prior, drift, and a low weight for outliers. */
export function learn(calibration: Calibration, { features, tokens }: Observation): Calibration {
  // A request that did not grow has lost unknown content, so it shows nothing about the added content.
  if (tokens <= 0) return calibration;
  const { prior, ratios, covariance } = calibration;
  const expected = priorTokens(prior, features);
  const estimated = dot(ratios, expected);
  const error = tokens - estimated;
  const spread = CLASSES.map((_, row) => dot(covariance.slice(row * CLASSES.length), expected));
  const doubt = dot(spread, expected);
  if (doubt === 0) return calibration;
  const noise = (NOISE_TOKENS + NOISE_SHARE * estimated) ** 2;
  const surprise = Math.max(1, error ** 2 / (doubt + noise) / SURPRISING_DEVIATIONS ** 2);
  const variance = doubt + noise * surprise;
  return {
    first: calibration.first,
    prior,
    ratios: ratios.map((ratio, row) => clampRatio(ratio + (spread[row]! / variance) * error)),
    covariance: covariance.map((value, index) => {
      const [row, column] = [Math.floor(index / CLASSES.length), index % CLASSES.length];
      const left = value - (spread[row]! * spread[column]!) / variance;
      return row === column ? Math.min(RATIO_VARIANCE, left + DRIFT * RATIO_VARIANCE) : left;
    }),
    estimatedTokens: PAD_MEMORY * calibration.estimatedTokens + estimated,
    wrongTokens: PAD_MEMORY * calibration.wrongTokens + Math.min(Math.abs(error), estimated),
  };
}

/** The reported tokens of content that had been estimated before. */
interface Observation {
  /** Features of everything in the request that the previously known size does not cover. */
  readonly features: Features;
  /** The tokens of that content: the reported input minus the previously known size. */
  readonly tokens: number;
}

function clampRatio(ratio: number): number {
  return Math.min(RATIO_RANGE.most, Math.max(RATIO_RANGE.least, ratio));
}

/** Returns the expected tokens of each class by the prior. */
function priorTokens({ tokensPer }: TokenizerPrior, features: Features): number[] {
  const tokens = CLASSES.map(() => 0);
  for (const name of FEATURE_NAMES)
    tokens[CLASSES.indexOf(CLASS_OF_FEATURE[name])]! += tokensPer[name] * features[name];
  return tokens;
}

/** Returns the dot product over the length of the second array. */
function dot(left: readonly number[], right: readonly number[]): number {
  return right.reduce((sum, value, index) => sum + left[index]! * value, 0);
}

/** Classes of features. The tokens of one class rise and fall together between tokenizers, so each class has one learned ratio. */
type ContentClass = "words" | "numbers" | "marks" | "lines" | "rare" | "structure" | "thinking" | "media" | "counted";

const CLASSES: readonly ContentClass[] = [
  "words",
  "numbers",
  "marks",
  "lines",
  "rare",
  "structure",
  "thinking",
  "media",
  "counted",
];

const CLASS_OF_FEATURE: Readonly<Record<FeatureName, ContentClass>> = {
  words: "words",
  letters: "words",
  runOnLetters: "rare",
  numbers: "numbers",
  digits: "numbers",
  marks: "marks",
  furtherMarks: "marks",
  lines: "lines",
  spaces: "lines",
  foreignLetters: "rare",
  symbols: "rare",
  furtherSymbols: "rare",
  ideographs: "rare",
  emoji: "rare",
  blocks: "structure",
  toolCalls: "structure",
  inputFields: "structure",
  toolResults: "structure",
  signatureCharacters: "thinking",
  images: "media",
  documents: "media",
  countedTokens: "counted",
};

/**
 * Fitted on 8,317 requests of recorded sessions with three tokenizers (the training half of the `counting` experiment), then
 * rounded, with more weight on the letters of a word than in the fit, because of long words. A change to one figure by a third
 * moves the median and the 95th percentile of the errors by 3% at most, because the ratios are learned. The recordings contain
 * too little of other alphabets, Chinese, emoji and run-on letters: their figures come from public tokenizers. Images and documents
 * have the usual flat figure.
 */
export const DEFAULT_PRIOR: TokenizerPrior = {
  tokensPer: {
    words: 0.6,
    letters: 0.1,
    runOnLetters: 0.25,
    numbers: 1.2,
    digits: 0.25,
    marks: 1.1,
    furtherMarks: 0.15,
    lines: 1.5,
    spaces: 0.07,
    foreignLetters: 0.5,
    symbols: 2,
    furtherSymbols: 0.1,
    ideographs: 1,
    emoji: 2.5,
    blocks: 8,
    toolCalls: 50,
    inputFields: 5,
    toolResults: 7,
    signatureCharacters: 0.19,
    images: 2_000,
    documents: 2_000,
    countedTokens: 1,
  },
};

// Chosen on the training half of the `counting` experiment. Halving or doubling one of these constants moves the median error by
// 15% at most, and the 95th percentile by 7%.
/** How far a ratio is expected to lie from 1: a standard deviation of 0.3. */
const RATIO_VARIANCE = 0.3 ** 2;
/** The share of that variance that each observation adds again, so that the influence of old observations fades. */
const DRIFT = 0.002;
/** The error of an observation with exact ratios: some tokens, and a share of the estimate. */
const NOISE_TOKENS = 20;
const NOISE_SHARE = 0.05;
/** An observation beyond this many deviations shows something unseen (a reminder, a rewind), and counts for less. */
const SURPRISING_DEVIATIONS = 3;
const RATIO_RANGE = { least: 0.2, most: 5 } as const;

/** The pad starts at a third, as if a third of these estimated tokens had been wrong. */
const START = { estimatedTokens: 6_000, wrongTokens: 2_000 } as const;
const PAD_MEMORY = 0.98;

// ------------------------------------------------------------------------------------------------ features

/** Returns the features of a block. Reads at most 65,536 characters of the block. */
export function featuresOf(block: Block, { countText }: FeatureOptions = {}): Features {
  const texts: string[] = [];
  const structure = { ...NO_FEATURES, ...structureOf(block, texts) };
  if (texts.length === 0) return structure;
  const text = texts.length === 1 ? texts[0]! : texts.join(" ");
  return countText === undefined
    ? { ...structure, ...scanText(text) }
    : { ...structure, countedTokens: Math.max(0, Math.round(countText(text)) || 0) };
}

/** How texts are counted. */
export interface FeatureOptions {
  /** Counts the tokens of a text with the model's tokenizer. @default none: tokens are estimated from features */
  readonly countText?: (text: string) => number;
}

/**
 * The features of a block that cost tokens, each in its own unit. Features of several blocks add up. The engine keeps them, so that
 * it can estimate the tokens again after it has learned more about the tokenizer.
 */
export interface Features extends TextCounts {
  readonly blocks: number;
  readonly toolCalls: number;
  /** Values in tool inputs. */
  readonly inputFields: number;
  readonly toolResults: number;
  /** Length of the signature of thinking. The visible text is only a summary; the signature grows with the thinking. */
  readonly signatureCharacters: number;
  readonly images: number;
  readonly documents: number;
  /** Tokens of texts that a tokenizer counted; such texts have no other features. */
  readonly countedTokens: number;
}

/** The features of a text. The first character of a run costs differently from the following characters. */
export interface TextCounts {
  /** Beginnings of words; `camelCase` has two. */
  readonly words: number;
  /** Letters after the first of a word. */
  readonly letters: number;
  /** Letters beyond twelve per word on average, as in sequences and fillers. No language has such words. */
  readonly runOnLetters: number;
  /** The number of digit runs. */
  readonly numbers: number;
  /** Digits after the first of a run. */
  readonly digits: number;
  /** The number of runs of ASCII punctuation. */
  readonly marks: number;
  readonly furtherMarks: number;
  /** The number of runs of line ends. */
  readonly lines: number;
  /** White space after white space: indentation, empty lines. A single space belongs to the next word. */
  readonly spaces: number;
  /** Letters of other alphabets. */
  readonly foreignLetters: number;
  /** Beginnings of runs of arrows, box drawing and the like. */
  readonly symbols: number;
  readonly furtherSymbols: number;
  /** Chinese, Japanese and Korean characters. */
  readonly ideographs: number;
  /** Characters outside the basic plane. */
  readonly emoji: number;
}

/** The name of a feature. */
export type FeatureName = keyof Features;

/** Adds the features of two contents. */
export function addFeatures(left: Features, right: Features): Features {
  const sum: Record<FeatureName, number> = { ...left };
  for (const name of FEATURE_NAMES) sum[name] += right[name];
  return sum;
}

/** Adds all features except those of texts, and collects the texts in `texts`. */
function structureOf(block: Block, texts: string[]): Partial<Features> {
  switch (block.kind) {
    case "text":
      texts.push(block.text);
      return { blocks: 1 };
    case "thinking":
      if (block.signature !== undefined) return { blocks: 1, signatureCharacters: block.signature.length };
      if (block.native !== undefined) return { blocks: 1, signatureCharacters: lengthOf(block.native.block) };
      texts.push(block.text);
      return { blocks: 1 };
    case "tool_call":
      texts.push(block.name);
      return { blocks: 1, toolCalls: 1, inputFields: collectJson(block.input, texts) };
    case "tool_result": {
      if (typeof block.content === "string") {
        texts.push(block.content);
        return { blocks: 1, toolResults: 1 };
      }
      const parts = block.content.map((part) => structureOf(part, texts));
      const count = (name: "images" | "documents"): number => parts.reduce((sum, part) => sum + (part[name] ?? 0), 0);
      return { blocks: 1, toolResults: 1, images: count("images"), documents: count("documents") };
    }
    case "image":
      return { blocks: 1, images: 1 };
    case "document":
      return { blocks: 1, documents: 1 };
    case "opaque":
      collectJson(block.native.block, texts);
      return { blocks: 1 };
  }
}

/** Returns the length of thinking in a provider's own format, which is mostly the signature. */
function lengthOf(value: unknown): number {
  const texts: string[] = [];
  collectJson(value, texts);
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Collects the names and values of a JSON value, without punctuation, and returns the number of values. Works at any depth. */
function collectJson(value: unknown, texts: string[]): number {
  const open: unknown[] = [value];
  let values = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) {
      texts.push(String(next));
      values++;
    } else if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else {
      for (const [name, inner] of Object.entries(next)) {
        texts.push(name);
        open.push(inner);
      }
    }
  }
  return values;
}

/** Counts the features of a text in one pass over its UTF-8: first bytes show the script, and bytes are twice as fast as characters. */
export function scanText(text: string): TextCounts {
  const bytes = new TextEncoder().encode(sampleOf(text));
  // Counts how often a byte of one class follows a byte of another class. All features come from this table.
  const pairs = new Uint32Array(1 << (2 * CLASS_BITS));
  let previous = NEWLINE;
  for (let index = 0; index < bytes.length; index++) {
    const current = CLASS_OF_BYTE[bytes[index]!]!;
    pairs[(previous << CLASS_BITS) | current]!++;
    previous = current;
  }
  const scale = Math.max(1, text.length / SAMPLE_CHARACTERS);
  return toCounts(scale === 1 ? pairs : pairs.map((count) => Math.round(scale * count)));
}

function sampleOf(text: string): string {
  if (text.length <= SAMPLE_CHARACTERS) return text;
  const distance = (text.length - PIECE_CHARACTERS) / (SAMPLE_PIECES - 1);
  return Array.from({ length: SAMPLE_PIECES }, (_, piece) => {
    const start = Math.floor(piece * distance);
    return text.slice(start, start + PIECE_CHARACTERS);
  }).join("");
}

function toCounts(pairs: Uint32Array): TextCounts {
  const following = (first: number, second: number): number => pairs[(first << CLASS_BITS) | second]!;
  const totals = new Float64Array(1 << CLASS_BITS);
  for (let pair = 0; pair < pairs.length; pair++) totals[pair & (totals.length - 1)]! += pairs[pair]!;
  const all = (of: number): number => totals[of]!;
  const joinedLetters = following(LOWER, LOWER) + following(UPPER, UPPER) + following(UPPER, LOWER);
  const words = all(LOWER) + all(UPPER) - joinedLetters;
  const furtherSymbols = following(CONTINUATION, SYMBOL);
  return {
    words,
    letters: joinedLetters,
    runOnLetters: Math.max(0, joinedLetters - LONG_WORD_LETTERS * words),
    numbers: all(DIGIT) - following(DIGIT, DIGIT),
    digits: following(DIGIT, DIGIT),
    marks: all(MARK) - following(MARK, MARK),
    furtherMarks: following(MARK, MARK) + all(CONTROL),
    lines: all(NEWLINE) - following(NEWLINE, NEWLINE),
    spaces: following(SPACE, SPACE) + following(NEWLINE, NEWLINE),
    foreignLetters: all(FOREIGN),
    symbols: all(SYMBOL) - furtherSymbols,
    furtherSymbols,
    ideographs: all(IDEOGRAPH),
    emoji: all(EMOJI),
  };
}

function classOf(byte: number): number {
  if (byte === 0x0a || byte === 0x0d) return NEWLINE;
  if (byte === 0x20 || byte === 0x09) return SPACE;
  if (byte < 0x20 || byte === 0x7f) return CONTROL;
  if (byte >= 0x30 && byte <= 0x39) return DIGIT;
  if (byte >= 0x41 && byte <= 0x5a) return UPPER;
  if (byte >= 0x61 && byte <= 0x7a) return LOWER;
  if (byte < 0x80) return MARK;
  if (byte < 0xc0) return CONTINUATION;
  // First bytes: up to U+1FFF; U+2000 to U+2FFF, and U+E000 to U+EFFF for private use; the rest of the basic plane.
  if (byte < 0xe2) return FOREIGN;
  if (byte === 0xe2 || byte === 0xee) return SYMBOL;
  return byte < 0xf0 ? IDEOGRAPH : EMOJI;
}

/** A longer text is sampled in this many pieces of this many characters, evenly spread, so that any text costs limited time. */
const SAMPLE_PIECES = 64;
const PIECE_CHARACTERS = 1024;
const SAMPLE_CHARACTERS = SAMPLE_PIECES * PIECE_CHARACTERS;

const LONG_WORD_LETTERS = 12;

// Classes of bytes. A continuation byte belongs to the character of the preceding byte.
const CONTROL = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const NEWLINE = 5;
const MARK = 6;
const FOREIGN = 7;
const SYMBOL = 8;
const IDEOGRAPH = 9;
const EMOJI = 10;
const CONTINUATION = 11;
const CLASS_BITS = 4;

const CLASS_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte));

/** The features of nothing: all are zero. */
export const NO_FEATURES: Features = {
  blocks: 0,
  toolCalls: 0,
  inputFields: 0,
  toolResults: 0,
  signatureCharacters: 0,
  images: 0,
  documents: 0,
  countedTokens: 0,
  ...scanText(""),
};

/** All features, by name. */
export const FEATURE_NAMES: readonly FeatureName[] = Object.keys(NO_FEATURES) as FeatureName[];
