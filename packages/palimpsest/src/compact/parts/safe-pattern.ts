// Whether a pattern is fast on any text. The check is strict: a refused pattern can be written in another way.

/** The steps that a pattern may take at one place of a text before it fails there. */
const MAX_STEPS = 32;
/** The characters of a pattern. */
const MAX_SOURCE = 500;
/** Stands for "without limit". */
const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * Why a pattern could take long, and how to write the pattern instead. Undefined if the pattern is safe.
 * @param maxSteps the steps that the pattern may take at one place of a text
 */
export function problemOf({ source, flags }: RegExp, maxSteps: number = MAX_STEPS): string | undefined {
  if (source.length > MAX_SOURCE) return `the pattern has ${source.length} characters; use at most ${MAX_SOURCE}`;
  if (flags.includes("v")) return "the flag v is not supported; use the flag u";
  if (/(?<!\\)(?:\\\\)*\\(?:[1-9]|k<)/.test(source))
    return "the pattern refers back to a group; write out what the group matches";
  if (/\(\?<[=!]/.test(source)) return "the pattern looks behind; match the text before as well";
  try {
    const { steps } = readAlternatives(new Reader(source), "end");
    return steps <= maxSteps ? undefined : `the pattern can take ${steps} steps at one place; ${SMALLER}`;
  } catch (error) {
    if (error instanceof UnsafePattern) return error.message;
    throw error;
  }
}

const SMALLER = `repeat less, such as {1,10} instead of {1,60} (at most ${MAX_STEPS} steps are allowed)`;

class UnsafePattern extends Error {}

/** What a piece of a pattern can cost. */
interface Cost {
  /** The steps until the piece and everything after its choices has failed. */
  readonly steps: number;
  /** The number of ways in which the piece can match at one place. */
  readonly ways: number;
}

class Reader {
  readonly source: string;
  at = 0;

  constructor(source: string) {
    this.source = source;
  }

  get next(): string | undefined {
    return this.source[this.at];
  }

  /** Takes the text that a sticky pattern matches here. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [text] = pattern.exec(this.source) ?? [];
    this.at += text?.length ?? 0;
    return text;
  }
}

const ATOM =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\c[A-Za-z]|\\.|\[(?:\\.|[^\]\\])*\]|[^()|]/suy;
const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const GROUP = /\((?:\?(?:[:=!]|<[^>]*>))?/y;

/** Reads up to the end of a group or of the pattern. `place`: whether anything can follow and fail. */
function readAlternatives(reader: Reader, place: "end" | "inside"): Cost {
  let [steps, ways] = [0, 0];
  for (;;) {
    const one = readSequence(reader, place);
    steps += one.steps;
    ways += one.ways;
    if (reader.next !== "|") return { steps, ways };
    reader.at++;
  }
}

function readSequence(reader: Reader, place: "end" | "inside"): Cost {
  let [steps, ways] = [0, 1];
  while (reader.next !== undefined && reader.next !== ")" && reader.next !== "|") {
    const piece = readPiece(reader);
    const isLast = place === "end" && (reader.next === undefined || reader.next === "|");
    const { min, max, atom } = piece;
    // The last piece takes what there is: nothing behind it can fail and make it give back.
    const most = isLast ? min : max;
    if (most === UNLIMITED) {
      const limited = `${piece.text}{${Math.max(1, min)},20}`;
      throw new UnsafePattern(`only the end of a pattern can repeat without limit; write a limit, such as ${limited}`);
    }
    if (most > 1 && atom.ways > 1)
      throw new UnsafePattern(
        "the pattern repeats a group that can match in several ways; repeat single characters instead",
      );
    steps += ways * Math.max(1, most * atom.steps);
    ways *= isLast ? 1 : atom.ways * (max - min + 1);
  }
  return { steps, ways };
}

interface Piece {
  readonly text: string;
  readonly atom: Cost;
  readonly min: number;
  readonly max: number;
}

function readPiece(reader: Reader): Piece {
  const start = reader.at;
  const opened = reader.take(GROUP);
  let atom: Cost = { steps: 1, ways: 1 };
  if (opened === undefined) {
    if (reader.take(ATOM) === undefined) reader.at++;
  } else {
    atom = readAlternatives(reader, "inside");
    reader.at++;
  }
  const text = reader.source.slice(start, reader.at);
  const [min, max] = limitsOf(reader.take(QUANTIFIER));
  return { text, atom, min, max };
}

function limitsOf(quantifier: string | undefined): readonly [number, number] {
  switch (quantifier?.[0]) {
    case undefined:
      return [1, 1];
    case "*":
      return [0, UNLIMITED];
    case "+":
      return [1, UNLIMITED];
    case "?":
      return [0, 1];
    default: {
      const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier!)!;
      const max = comma === "" ? Number(least) : most === "" ? UNLIMITED : Number(most);
      return [Number(least), max];
    }
  }
}
