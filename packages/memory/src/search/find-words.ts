import { SAME_MEANING } from "./same-meaning.ts";
import { isSlip } from "./spelling.ts";
import { rootOf, stemOf } from "./stem.ts";
import type { KnownWord, Vocabulary } from "./vocabulary.ts";
import { wordShare } from "./word-share.ts";

/** A word of topics that stands for a word of the query. */
export interface Match extends KnownWord {
  /** How surely, from 0 to 1. */
  readonly sureness: number;
}

/** How surely a word of a topic is meant by another word of the query. Chosen on the development half. */
const SURENESS = { form: 0.95, meaning: 0.8, derived: 0.6, slip: 0.7, compound: 0.6, anyYear: 0.7 } as const;
/** Letters from which on a word may be found within another; what is left of that one must be a word, too. */
const LEAST_PIECE_LETTERS = 5;
const LEAST_REST_LETTERS = 4;
/** Shorter words are one letter away from too many others. */
const LEAST_SLIP_LETTERS = 7;

/** What topics call it: forms and derivations of the word, what means the same, compounds with it; else its pieces, or a slip. */
export function findWord(word: string, vocabulary: Vocabulary): readonly Match[] {
  const stem = stemOf(word);
  const found = [
    ...findForms(word, vocabulary),
    ...as(vocabulary.withRoot(rootOf(stem)), SURENESS.derived),
    ...as(findCompounds(stem, vocabulary), SURENESS.compound),
  ];
  if (found.length > 0) return found;
  // A piece that is a common word (`lifetime`) says as little as that word does.
  const pieces = findPieces(word, vocabulary).map((known) => ({
    ...known,
    sureness: SURENESS.compound * wordShare(known.word),
  }));
  if (pieces.length > 0 || word.length < LEAST_SLIP_LETTERS) return pieces;
  // Few slip in the first two letters.
  const slips = vocabulary.beginningWith(word.slice(0, 2)).filter((known) => isSlip(word, known.word));
  return as(slips, SURENESS.slip);
}

/** The word, its forms, and what means the same. */
export function findForms(word: string, vocabulary: Vocabulary): readonly Match[] {
  const stem = stemOf(word);
  const forms = vocabulary
    .withStem(stem)
    .map((known) => ({ ...known, sureness: known.word === word ? 1 : SURENESS.form }));
  return [...forms, ...findMeaning(word, stem, vocabulary)];
}

/** `roll back` where topics say `rollback`, and pairs with a meaning of their own. */
export function findPair(joined: string, vocabulary: Vocabulary): readonly Match[] {
  return [...findExact(joined, vocabulary), ...findMeaning(joined, joined, vocabulary)];
}

export function findExact(term: string, vocabulary: Vocabulary): readonly Match[] {
  const known = vocabulary.withStem(stemOf(term)).filter(({ word }) => word === term);
  return as(known, 1);
}

/** The day or the month that is named; if no topic has it, that of any year. */
export function findDate([most = "", next]: readonly string[], vocabulary: Vocabulary): readonly Match[] {
  const found = findExact(most, vocabulary);
  return found.length > 0 || next === undefined ? found : as(findExact(next, vocabulary), SURENESS.anyYear);
}

function findMeaning(word: string, stem: string, vocabulary: Vocabulary): readonly Match[] {
  const others = SAME_MEANING.get(word) ?? SAME_MEANING.get(stem) ?? [];
  return others.flatMap((other) => as(vocabulary.withStem(stemOf(other)), SURENESS.meaning));
}

/** `Verbindung` finds `Datenbankverbindung` and `Verbindungsabbruch`: it stands at an end. */
function findCompounds(stem: string, vocabulary: Vocabulary): readonly KnownWord[] {
  if (stem.length < LEAST_PIECE_LETTERS) return [];
  return [...vocabulary.beginningWith(stem), ...vocabulary.endingWith(stem)].filter(
    ({ word }) => word.length - stem.length >= LEAST_REST_LETTERS,
  );
}

/** `Datenbankverbindung` finds `Verbindung`: known words that it begins or ends with. */
function findPieces(word: string, vocabulary: Vocabulary): readonly KnownWord[] {
  const found: KnownWord[] = [];
  for (let at = LEAST_REST_LETTERS; at <= word.length - LEAST_REST_LETTERS; at++) {
    for (const piece of [word.slice(0, at), word.slice(at)]) found.push(...vocabulary.withStem(stemOf(piece)));
  }
  return found;
}

function as(words: readonly KnownWord[], sureness: number): readonly Match[] {
  return words.map((known) => ({ ...known, sureness }));
}
