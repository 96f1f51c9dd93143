// Describes content by features that cost tokens, such as words, digits and images. `calibration.ts` estimates tokens from them.

import type { Block } from "../log/block.ts";

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
