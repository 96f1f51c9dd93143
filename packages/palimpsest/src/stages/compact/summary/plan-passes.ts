import { headOf } from "../../store-results/cut-text.ts";
import { grouped } from "../../store-results/preview.ts";
import { clipTranscript, cutPlace } from "./clip-transcript.ts";
import type { TranscriptRound } from "./transcript.ts";

export interface PassOptions {
  /** How much of the transcript one call can take. */
  readonly passTokens: number;
  /** How many calls there may be. */
  readonly maximumPasses: number;
  readonly tokensOf: (text: string) => number;
}

export interface PassPlan {
  /** Consecutive: the oldest first, each fits. */
  readonly passes: readonly (readonly TranscriptRound[])[];
  /** Of the older rounds, those that are shown in part. */
  readonly shortenedRounds: number;
  /** Of the older rounds, those that are not shown at all. */
  readonly leftOutRounds: number;
}

interface Piece extends TranscriptRound {
  readonly tokens: number;
}

/** Below this, no round can be shown in a way that says something. */
const LEAST_PASS_TOKENS = 500;
const LEAST_ROUND_TOKENS = 100;
/** The share of the passes for the newest rounds, which are shown whole: newer messages weigh more. */
const NEWEST_SHARE = 0.5;
const HEAD_SHARE = 0.4;

/**
 * How a transcript of many windows is read. If it does not fit into as many passes as are allowed, the newest half of them
 * shows the newest rounds whole; into the others go the older rounds, each shortened to the same number of tokens, head and
 * tail. If even the shortest form is too much, every second of the older rounds is left out, then three of four, and so on.
 * Undefined if a pass is too small to be of use.
 */
export function planPasses(
  rounds: readonly TranscriptRound[],
  { passTokens, maximumPasses, tokensOf }: PassOptions,
): PassPlan | undefined {
  if (passTokens < LEAST_PASS_TOKENS || maximumPasses < 1) return undefined;
  const measure = (round: TranscriptRound): Piece => ({ ...round, tokens: tokensOf(round.text) });
  const whole = rounds.flatMap((round) => split(measure(round), passTokens, measure));
  const passes = pack(whole, passTokens);
  if (passes.length <= maximumPasses) return { passes: passes.map(asRounds), shortenedRounds: 0, leftOutRounds: 0 };

  // With one pass only, both halves go into it.
  const shelfTokens = maximumPasses === 1 ? Math.floor(passTokens / 2) : passTokens;
  const newestShelves = maximumPasses === 1 ? 1 : Math.ceil(maximumPasses * NEWEST_SHARE);
  const olderShelves = Math.max(1, maximumPasses - newestShelves);
  const pieces = whole.flatMap((piece) => split(piece, shelfTokens, measure));
  const newest = pack(pieces.toReversed(), shelfTokens).slice(0, newestShelves);
  const older = pieces.slice(0, pieces.length - newest.flat().length);
  const { shelves, shortened, leftOut } = fitOlder(older, { shelfTokens, shelves: olderShelves, measure });
  const filled = [...shelves, ...newest.toReversed().map((shelf) => shelf.toReversed())];
  return {
    passes: (maximumPasses === 1 ? [filled.flat()] : filled).map(asRounds),
    shortenedRounds: shortened,
    leftOutRounds: leftOut,
  };
}

interface Shelves {
  readonly shelfTokens: number;
  readonly shelves: number;
  readonly measure: (round: TranscriptRound) => Piece;
}

function fitOlder(
  older: readonly Piece[],
  { shelfTokens, shelves, measure }: Shelves,
): { shelves: readonly (readonly Piece[])[]; shortened: number; leftOut: number } {
  let roundTokens = shelfTokens;
  let every = 1;
  for (;;) {
    // The first stays: the task stands there.
    const shown = older.filter((_, index) => index % every === 0);
    const fitted = shown.map((piece) => (piece.tokens <= roundTokens ? piece : shorten(piece, roundTokens, measure)));
    const packed = pack(fitted, shelfTokens);
    if (packed.length <= shelves || every > older.length) {
      const shortened = fitted.filter((piece, index) => piece !== shown[index]).length;
      return { shelves: packed, shortened, leftOut: older.length - shown.length };
    }
    if (roundTokens / 2 >= LEAST_ROUND_TOKENS) roundTokens /= 2;
    else every *= 2;
  }
}

/** As many as fit, one after the other. */
function pack(pieces: readonly Piece[], passTokens: number): readonly (readonly Piece[])[] {
  const packed: Piece[][] = [];
  let left = 0;
  for (const piece of pieces) {
    const last = packed.at(-1);
    if (last !== undefined && piece.tokens <= left) {
      last.push(piece);
      left -= piece.tokens;
    } else {
      packed.push([piece]);
      left = passTokens - piece.tokens;
    }
  }
  return packed;
}

/** Its beginning and its end. The end gets more: what came of it stands there. */
function shorten(piece: Piece, roundTokens: number, measure: Shelves["measure"]): Piece {
  const { text, from, to } = piece;
  let characters = (text.length * roundTokens) / piece.tokens;
  for (;;) {
    const headEnd = cutPlace(text, Math.floor(characters * HEAD_SHARE));
    const tailStart = Math.max(headEnd, cutPlace(text, text.length - Math.floor(characters * (1 - HEAD_SHARE))));
    const left = `[left out of entries ${from} to ${to}: ${grouped(tailStart - headEnd)} characters]`;
    const parts = [clipTranscript(text, 0, headEnd), left, clipTranscript(text, tailStart, text.length)];
    const shortened = measure({ text: parts.filter((part) => part !== "").join("\n"), from, to });
    if (shortened.tokens <= roundTokens || characters < 1) return shortened;
    characters *= 0.8;
  }
}

/** A round that is larger than a pass, as several. */
function split(piece: Piece, passTokens: number, measure: Shelves["measure"]): readonly Piece[] {
  const { text, from, to } = piece;
  if (piece.tokens <= passTokens) return [piece];
  const pieces: Piece[] = [];
  let start = 0;
  let characters = Math.floor((text.length * passTokens) / piece.tokens);
  while (start < text.length) {
    // Always forward, even where the beginning of a line is no later than the last cut.
    const near = cutPlace(text, start + characters);
    const end = near > start ? near : headOf(text, start + Math.max(2, characters)).length;
    const next = measure({ text: clipTranscript(text, start, end), from, to });
    if (next.tokens > passTokens && characters > 1) {
      characters = Math.floor(characters * 0.8);
      continue;
    }
    pieces.push(next);
    start = end;
  }
  return pieces;
}

function asRounds(pieces: readonly Piece[]): readonly TranscriptRound[] {
  return pieces.map(({ text, from, to }) => ({ text, from, to }));
}
