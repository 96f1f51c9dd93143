import { grouped, headOf } from "../../text.ts";
import {
  checkSize,
  type FineSummary,
  type RefusedSummary,
  type RepairableSummary,
  refuse,
  type SummaryAnswer,
  type SummaryLimits,
} from "./check.ts";
import { withoutScratchpads } from "./read.ts";
import { missingSections, namedPaths, readSections, renamePaths } from "./sections.ts";
import { clipTranscript, cutPlace, type TranscriptRound } from "./transcript.ts";

interface PassOptions {
  /** How much of the transcript fits into one call. */
  readonly passTokens: number;
  /** The maximum number of calls. */
  readonly maximumPasses: number;
  readonly tokensOf: (text: string) => number;
}

interface PassPlan {
  /** Consecutive, oldest first; each fits into one call. */
  readonly passes: readonly (readonly TranscriptRound[])[];
  /** The number of older rounds that are shown in part. */
  readonly shortenedRounds: number;
  /** The number of older rounds that are left out. */
  readonly leftOutRounds: number;
}

interface Piece extends TranscriptRound {
  readonly tokens: number;
}

/** A smaller pass cannot show a round in a useful way. */
const LEAST_PASS_TOKENS = 500;
const LEAST_ROUND_TOKENS = 100;
/** The share of passes for the newest rounds, which are shown complete: newer messages matter more. */
const NEWEST_SHARE = 0.5;
const HEAD_SHARE = 0.4;

/**
 * Plans how to read a transcript of many windows. If it does not fit into the allowed passes, half of them show the
 * newest rounds complete. The other half shows the older rounds, each shortened to the same number of tokens, head and
 * tail. If even that is too much, every second older round is left out, then three of four, and so on. Undefined if a
 * pass is too small to be useful.
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

  // With only one pass, both halves share it.
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
    // The first round stays: it contains the task.
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

/** Fills passes in order, each with as many pieces as fit. */
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

/** Returns the beginning and the end of a piece. The end gets more room: it shows the outcome. */
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

/** Splits a round that is larger than a pass into several pieces. */
function split(piece: Piece, passTokens: number, measure: Shelves["measure"]): readonly Piece[] {
  const { text, from, to } = piece;
  if (piece.tokens <= passTokens) return [piece];
  const pieces: Piece[] = [];
  let start = 0;
  let characters = Math.floor((text.length * passTokens) / piece.tokens);
  while (start < text.length) {
    // Always moves forward, even if the beginning of the line is not after the last cut.
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

interface Repair extends SummaryLimits {
  readonly repairable: RepairableSummary;
  /** The model's answer to the repair prompt; undefined if there was none. */
  readonly answer: SummaryAnswer | undefined;
}

/** The mark after a path that is not in the log. The sentence stays, because it may otherwise be true. */
export const UNVERIFIED = " (unverified: not in the log)";

/** The requested form: `path: as written => corrected`. */
const RENAMED = /^\W*path:\s*`?(.+?)`?\s*=>\s*`?(.+?)`?\s*$/i;

/**
 * Merges the answer of the only repair round: it takes the requested sections, and no others. A path is corrected if
 * the log contains the new one, and otherwise marked. So a summary with all its sections needs no answer.
 */
export function joinRepair({ repairable, answer, ...limits }: Repair): FineSummary | RefusedSummary {
  // An answer that was cut off again is no improvement.
  const usable = answer?.stop === "end" || answer?.stop === "tools" ? withoutScratchpads(answer.text) : "";
  const repaired = usable.replace(/\r\n?/g, "\n").replace(/<\/?summary>/gi, "");
  const joined = joinSections(repairable, repaired);
  const wanting = missingSections(readSections(joined));
  if (wanting.length > 0) return refuse("sections-missing", `without ${wanting.join(", ")} after the repair round`);
  const text = settlePaths(joined, renamingsIn(repaired), limits.isKnownPath).toWellFormed();
  return checkSize(text, limits) ?? { kind: "fine", text };
}

function joinSections({ text, missing }: RepairableSummary, repaired: string): string {
  const wanted = missing.flatMap((one) => (one.kind === "section" ? [one.number] : []));
  if (wanted.length === 0) return text;
  const { opening, byNumber } = readSections(text);
  const found = readSections(withoutRenamings(repaired)).byNumber;
  const kept = [...byNumber].filter(([number]) => !wanted.includes(number));
  const added = [...found].filter(([number]) => wanted.includes(number));
  const sections = [...kept, ...added].sort(([a], [b]) => a - b).map(([, section]) => section);
  return [opening, ...sections].join("\n\n").replace(/^Summary:\n\n/, "Summary:\n");
}

function renamingsIn(repaired: string): ReadonlyMap<string, string> {
  return new Map(
    repaired.split("\n").flatMap((line): [string, string][] => {
      const [, wrong, right] = RENAMED.exec(line) ?? [];
      return wrong === undefined || right === undefined ? [] : [[wrong, right]];
    }),
  );
}

function withoutRenamings(repaired: string): string {
  return repaired
    .split("\n")
    .filter((line) => !RENAMED.test(line))
    .join("\n");
}

function settlePaths(
  text: string,
  renamings: ReadonlyMap<string, string>,
  isKnownPath: (path: string) => boolean,
): string {
  return renamePaths(text, (path) => {
    if (isKnownPath(path)) return path;
    const right = renamings.get(path);
    const isPath = right !== undefined && namedPaths(right).some((named) => named.path === right);
    return isPath && isKnownPath(right) ? right : `${path}${UNVERIFIED}`;
  });
}
