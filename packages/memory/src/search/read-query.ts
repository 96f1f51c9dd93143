import { readWords } from "./read-words.ts";
import { wordShare } from "./word-share.ts";

/** Access to the words of all topics: ids of the topics that have one of these words, in any form. */
export interface Vocabulary {
  /** How many topics there are. */
  readonly topics: number;
  having(words: readonly string[], where: "anywhere" | "title"): readonly number[];
  /** Other words with the same meaning. */
  sameMeaning(word: string): readonly string[];
  isCommon(word: string): boolean;
}

/** One word of a query, and the topics that have it. */
export interface Unit {
  readonly word: string;
  /** How significant the word can be in any collection, from 0 to 1. */
  readonly share: number;
  /** How significant the word is here: its share, higher for rarer words. */
  readonly weight: number;
  /** By id: how certain it is that the topic has the word, from 0 to 1. */
  readonly topics: ReadonlyMap<number, number>;
  readonly inTitle: ReadonlySet<number>;
}

/** The certainty of a word with the same meaning. Chosen on the development half of the labeled queries. */
const MEANING_SURENESS = 0.8;
/** A smaller collection counts as this large: in a small one every word is rare. */
const LEAST_TOPICS = 200;
/** A longer query was pasted: its beginning shows the subject. */
const MAX_CHARACTERS = 4_000;
const MAX_UNITS = 200;
const IS_PAIR = /^[^\p{ASCII}]{1,2}$/u;

/** The words of a query, each once. */
export function queryWords(query: string): readonly string[] {
  return [...new Set(readWords(query.slice(0, MAX_CHARACTERS)))];
}

/** Returns the significant words of a query, with the topics that have them. */
export function readQuery(words: readonly string[], vocabulary: Vocabulary): readonly Unit[] {
  return (
    words
      .map((word) => ({ word, share: wordShare(word, vocabulary.isCommon) }))
      .filter(({ share }) => share > 0)
      .slice(0, MAX_UNITS)
      .map(({ word, share }) => toUnit(word, share, vocabulary))
      // Pairs of characters that no topic has are mostly the end of one word and the beginning of the next.
      .filter(({ word, topics }) => topics.size > 0 || !IS_PAIR.test(word))
  );
}

function toUnit(word: string, share: number, vocabulary: Vocabulary): Unit {
  const rarity = (topics: number): number => rarityOf(topics, vocabulary.topics);
  const own = vocabulary.having([word], "anywhere");
  const others = vocabulary.sameMeaning(word);
  const topics = new Map<number, number>();
  let near = 0;
  for (const other of others) {
    const having = vocabulary.having([other], "anywhere");
    near += having.length;
    // A word that is much more common than the query's own is less significant.
    const sureness = MEANING_SURENESS * Math.min(1, rarity(having.length) / rarity(own.length));
    for (const id of having) topics.set(id, Math.max(sureness, topics.get(id) ?? 0));
  }
  for (const id of own) topics.set(id, 1);
  return {
    word,
    share,
    // The rarity of the word itself: `SMS` stays a rare word, even if `text` may stand for it.
    weight: share * rarity(own.length > 0 ? own.length : near * MEANING_SURENESS),
    topics,
    inTitle: new Set(vocabulary.having([word, ...others], "title")),
  };
}

/**
 * As in BM25, but from 0, if all topics have the word, to 1 for a word that none has: so scores are comparable between
 * collections.
 */
function rarityOf(topics: number, ofTopics: number): number {
  const all = Math.max(LEAST_TOPICS, ofTopics);
  const says = (having: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));
  return says(Math.min(topics, all)) / says(0);
}
