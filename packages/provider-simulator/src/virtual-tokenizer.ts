import type { Tokenizer } from "./tokenizer.ts";

/**
 * Creates a tokenizer from a seed. Text is split into runs of one character class; each class has its own characters
 * per token, from a range that covers real vocabularies. Nobody can know the ratios before the first answer reports its
 * usage, so "the request always fits" cannot be met by tuning constants to the simulator.
 */
export function virtualTokenizer(seed: number): Tokenizer {
  const random = seededRandom(seed);
  const between = (low: number, high: number): number => low + (high - low) * random();
  // Ranges in characters per token: English words sit near 4.5, digits are grouped by at most three, one CJK
  // character takes 0.6 to 1.7 tokens, an emoji (two UTF-16 units) up to four.
  const charactersPerToken: Record<CharacterClass, number> = {
    [LETTER]: between(2.6, 6.2),
    [DIGIT]: between(1, 3),
    [SPACE]: between(3, 16),
    [PUNCTUATION]: between(1, 2.4),
    [WIDE]: between(0.6, 1.7),
    [OTHER]: between(0.5, 1.5),
  };
  return {
    name: `virtual/${seed}`,
    countText: (text) => countRuns(text, charactersPerToken),
    blockTokens: Math.round(between(3, 40)),
    toolTokens: Math.round(between(8, 60)),
    imageTokens: Math.round(between(900, 4_800)),
    documentTokens: Math.round(between(1_500, 6_000)),
    signatureTokensPerCharacter: between(0.19, 0.28),
  };
}

/** Deterministic numbers in [0, 1): mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LETTER = 0;
const DIGIT = 1;
const SPACE = 2;
const PUNCTUATION = 3;
const WIDE = 4;
const OTHER = 5;
type CharacterClass = 0 | 1 | 2 | 3 | 4 | 5;

const ASCII_CLASSES: readonly CharacterClass[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return LETTER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (/\s/.test(character)) return SPACE;
  return PUNCTUATION;
});

function classOf(code: number): CharacterClass {
  if (code < 128) return ASCII_CLASSES[code]!;
  if (code < 0x2e80) return OTHER;
  if (code < 0xd800 || (code >= 0xf900 && code < 0xfb00)) return WIDE;
  return OTHER;
}

function countRuns(text: string, charactersPerToken: Record<CharacterClass, number>): number {
  let tokens = 0;
  let runClass: CharacterClass | undefined;
  let runLength = 0;
  for (let index = 0; index < text.length; index++) {
    const next = classOf(text.charCodeAt(index));
    if (next === runClass) {
      runLength++;
      continue;
    }
    if (runClass !== undefined) tokens += runTokens(runClass, runLength, charactersPerToken);
    runClass = next;
    runLength = 1;
  }
  if (runClass !== undefined) tokens += runTokens(runClass, runLength, charactersPerToken);
  return tokens;
}

/** A single space belongs to the word after it, as in every byte-pair vocabulary in use. */
function runTokens(
  runClass: CharacterClass,
  length: number,
  charactersPerToken: Record<CharacterClass, number>,
): number {
  if (runClass === SPACE && length === 1) return 0;
  return Math.ceil(length / charactersPerToken[runClass]);
}
