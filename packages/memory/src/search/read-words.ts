import { findDates } from "./find-dates.ts";
import { SEPARATOR } from "./function-words.ts";
import { SAME_MEANING } from "./same-meaning.ts";

/**
 * What a text consists of for the search, the same for topics and for queries. A word is a run of letters and digits, without
 * case and accents. An identifier (`retryBudgetMs`, `src/billing/total.ts`) is one word as a whole and several in its parts.
 * Where a script writes no spaces, words are those that are known, and of the rest each two characters that stand together.
 */
export interface Word {
  readonly kind: "word" | "number" | "identifier" | "unspaced" | "pair" | "date";
  /** As it stands in the text. */
  readonly text: string;
  /** What it is found by. Of a date: the most exact first. */
  readonly terms: readonly string[];
  /** Words within it. */
  readonly parts: readonly string[];
}

/** What is longer is a key or a digest; nobody asks for it in full. */
const MAX_LETTERS = 64;
const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー";
const LETTERS = `[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED}]]`;
const CHUNK: RegExp = new RegExp(`[${UNSPACED}]+|${LETTERS}+(?:[_.:\\/\\\\\\-]+${LETTERS}+)*`, "gv");
const IS_UNSPACED: RegExp = new RegExp(`^[${UNSPACED}]`, "v");
const OTHERS = /[^\p{L}\p{N}]+/gu;
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** The longest first. A single character is part of too many words to be one. */
const KNOWN_UNSPACED: RegExp = new RegExp(
  `(${[...SAME_MEANING.keys()]
    .filter((word) => IS_UNSPACED.test(word) && word.length > 1)
    .toSorted((one, other) => other.length - one.length)
    .join("|")})`,
  "u",
);

export function readWords(anyForm: string): readonly Word[] {
  // One form for what is written wide, in a circle or as a ligature.
  const text = anyForm.normalize("NFKC");
  const words: Word[] = [];
  let at = 0;
  for (const { from, to, terms } of findDates(text)) {
    words.push(...readPlain(text.slice(at, from)), { kind: "date", text: text.slice(from, to), terms, parts: [] });
    at = to;
  }
  return [...words, ...readPlain(text.slice(at))];
}

/** All that a text is found by. */
export function termsOf(text: string): readonly string[] {
  const words = readWords(text);
  return words.flatMap((word, index) => {
    const joined = joinedWith(word, words[index + 1]);
    const isPair = joined !== undefined && SAME_MEANING.has(joined);
    return [...word.terms, ...word.parts, ...(isPair ? [joined] : [])];
  });
}

/** Two words as one: `pull request`, `roll back`. */
export function joinedWith(one: Word | undefined, other: Word | undefined): string | undefined {
  if (one?.kind !== "word" || other?.kind !== "word") return undefined;
  const [first, second] = [one.terms[0]!, other.terms[0]!];
  return Math.min(first.length, second.length) > 1 ? `${first}${second}` : undefined;
}

function readPlain(text: string): readonly Word[] {
  const words = (text.match(CHUNK) ?? []).flatMap((chunk) =>
    IS_UNSPACED.test(chunk) ? readUnspaced(chunk) : [readChunk(chunk)],
  );
  // Accents that stand by themselves.
  return words.filter(({ terms }) => terms[0] !== "");
}

function readChunk(chunk: string): Word {
  const pieces = chunk.split(/[_.:/\\-]+/);
  // `2.2` is not 22.
  if (pieces.every((piece) => /^\p{N}+$/u.test(piece))) return plain("number", chunk, pieces.join("·"));
  const parts = pieces.flatMap((piece) => piece.split(HUMP)).map(fold);
  const whole = parts.join("").slice(0, MAX_LETTERS);
  if (parts.length === 1) return plain("word", chunk, whole);
  // A file without its folders, and without its ending (which says nothing); a field without its object.
  const names = [chunk.split(/[/\\:]+/), chunk.split(/[/\\:.]+/), pieces].flat().map(joined);
  const ending = /\.\p{L}{1,3}$/u.test(chunk) ? parts.at(-1) : undefined;
  const inner = [...names, ...parts].filter((part) => part.length > 1 && part !== whole && part !== ending);
  return { kind: "identifier", text: chunk, terms: [whole], parts: [...new Set(inner)] };
}

function joined(piece: string): string {
  return fold(piece.replace(/[_.-]+/g, "")).slice(0, MAX_LETTERS);
}

function readUnspaced(run: string): readonly Word[] {
  // Split by a group, every second piece is what the group has found.
  return run.split(KNOWN_UNSPACED).flatMap((piece, index): readonly Word[] => {
    if (index % 2 === 1) return [{ kind: "unspaced", text: piece, terms: [piece], parts: pairsOf(piece) }];
    return piece
      .split(SEPARATOR)
      .flatMap(pairsOf)
      .map((pair) => plain("pair", pair, pair));
  });
}

function pairsOf(piece: string): readonly string[] {
  const characters = [...piece];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

function plain(kind: Word["kind"], text: string, term: string): Word {
  return { kind, text, terms: [term], parts: [] };
}

/** `Größe` and `grosse`, `é` and `e`. */
function fold(word: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
  if (/^[\x00-\x7f]*$/.test(word)) return word.toLowerCase();
  return word.normalize("NFD").toLowerCase().replaceAll("ß", "ss").replace(OTHERS, "");
}
