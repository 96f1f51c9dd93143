import { findDate, findExact, findForms, findPair, findWord, type Match } from "./find-words.ts";
import { joinedWith, readWords, type Word } from "./read-words.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { wordShare } from "./word-share.ts";

/** One thing that a query names. */
export interface Unit {
  /** As the user wrote it. */
  readonly text: string;
  /** What it says: how rare it is among the topics, less for words that say little anywhere. */
  readonly weight: number;
  /** Words of topics that stand for it, with how surely they do, from 0 to 1. Empty if no topic has any. */
  readonly matches: ReadonlyMap<string, number>;
  /** How many topics have one of them, about. */
  readonly topics: number;
}

/** Of its weight, what a word keeps in these places. Chosen on the development half of the labelled queries. */
const SHARES = {
  /** Part of an identifier or a pair that topics have as a whole: it is found there already. */
  part: 0.4,
  /** An identifier that topics have as it stands. */
  code: 1.5,
  /** Two characters of a script without spaces: half of a word, or none at all. */
  pair: 0.5,
  /** No topic has it: the query may be about something else, or say it in other words. */
  unknown: 0.7,
  unknownPair: 0.1,
} as const;
/** A collection is taken to have at least so many topics: in a small one every word is rare. */
const LEAST_TOPICS = 200;
/** From here on a match is the word itself, in some form. */
const OWN_SURENESS = 0.9;
/** What is longer was pasted: its beginning says what it is about. */
const MAX_CHARACTERS = 4_000;
const MAX_UNITS = 200;

/** What a query names, by what topics call it. */
export function readQuery(query: string, vocabulary: Vocabulary): readonly Unit[] {
  const words = readWords(query.slice(0, MAX_CHARACTERS));
  const units = new Map<string, Unit>();
  let before: Named | undefined;
  for (const [index, word] of words.entries()) {
    const pair = namedByPair(word, words[index + 1], vocabulary);
    const share = (pair ?? before) ? SHARES.part : 1;
    for (const named of [...(pair === undefined ? [] : [pair]), ...namedBy(word, share, vocabulary)]) {
      const key = named.text.toLowerCase();
      if (named.share > 0 && !units.has(key)) units.set(key, toUnit(named, vocabulary));
    }
    if (units.size >= MAX_UNITS) break;
    before = pair;
  }
  return [...units.values()];
}

interface Named {
  readonly text: string;
  readonly matches: readonly Match[];
  readonly share: number;
}

/** Two words, where topics have both as one, or have what both mean together. */
function namedByPair(one: Word, other: Word | undefined, vocabulary: Vocabulary): Named | undefined {
  const joined = joinedWith(one, other);
  const matches = joined === undefined ? [] : findPair(joined, vocabulary);
  if (other === undefined || matches.length === 0) return undefined;
  const share = Math.max(wordShare(one.terms[0] ?? ""), wordShare(other.terms[0] ?? ""));
  return { text: `${one.text} ${other.text}`, matches, share };
}

function namedBy({ kind, text, terms, parts }: Word, share: number, vocabulary: Vocabulary): readonly Named[] {
  const [term = ""] = terms;
  switch (kind) {
    case "word":
      return [{ text, matches: findWord(term, vocabulary), share: share * wordShare(term) }];
    case "number":
      // One or two digits are a count of something.
      return term.length > 2 ? [{ text, matches: findExact(term, vocabulary), share }] : [];
    case "date":
      return [{ text, matches: findDate(terms, vocabulary), share }];
    case "pair":
      return [pairOf(term, 1, vocabulary)];
    case "unspaced": {
      const whole = findForms(term, vocabulary);
      if (whole.length > 0) return [{ text, matches: whole, share: wordShare(term) }];
      return parts.map((part) => pairOf(part, wordShare(term), vocabulary));
    }
    case "identifier": {
      const whole = findForms(term, vocabulary);
      const within = parts
        .filter((part) => !/^\p{N}{1,2}$/u.test(part))
        .map((part) => ({
          text: part,
          matches: findWord(part, vocabulary),
          share: wordShare(part) * (whole.length > 0 ? SHARES.part : 1),
        }));
      return whole.length > 0 ? [{ text, matches: whole, share: wholeShare(text, term) }, ...within] : within;
    }
  }
}

/** What is written as code is meant as it stands; `on-call` is a word. */
function wholeShare(text: string, term: string): number {
  return wordShare(term) * (/[_.:/\\]|\p{Ll}\p{Lu}/u.test(text) ? SHARES.code : 1);
}

function pairOf(pair: string, share: number, vocabulary: Vocabulary): Named {
  const matches = findExact(pair, vocabulary);
  // Unknown pairs are mostly the end of one word and the beginning of the next.
  return {
    text: pair,
    matches,
    share: share * wordShare(pair) * (matches.length > 0 ? SHARES.pair : SHARES.unknownPair),
  };
}

function toUnit({ text, matches: found, share }: Named, vocabulary: Vocabulary): Unit {
  const rarity = (topics: number): number => rarityOf(topics, vocabulary.topics);
  const words = new Map<string, Match>();
  for (const match of found) {
    if (match.sureness > (words.get(match.word)?.sureness ?? 0)) words.set(match.word, match);
  }
  const all = [...words.values()];
  const own = all.filter(({ sureness }) => sureness >= OWN_SURENESS);
  const topics = (some: readonly Match[]): number =>
    some.reduce((sum, match) => sum + match.topics * match.sureness, 0);
  // How rare it is by its own forms: `SMS` stays a rare word, though `text` may stand for it.
  const whole = rarity(topics(own.length > 0 ? own : all));
  return {
    text,
    matches: new Map(all.map((match) => [match.word, match.sureness * Math.min(1, rarity(match.topics) / whole)])),
    topics: Math.min(topics(all), vocabulary.topics),
    weight: whole * share * (found.length === 0 ? SHARES.unknown : 1),
  };
}

/** As in BM25, but from 0, if all topics have it, to 1 for a word that none has: so that scores mean the same in any collection. */
function rarityOf(topics: number, ofTopics: number): number {
  const all = Math.max(LEAST_TOPICS, ofTopics);
  const says = (having: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));
  return says(Math.min(topics, all)) / says(0);
}
