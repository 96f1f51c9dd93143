/** A word that topics have, and how many of them have it. */
export interface KnownWord {
  readonly word: string;
  readonly topics: number;
}

/** The words of all topics. What a query says is looked for among them first: so forms of a word need not be indexed. */
export interface Vocabulary {
  /** How many topics there are. */
  readonly topics: number;
  withStem(stem: string): readonly KnownWord[];
  withRoot(root: string): readonly KnownWord[];
  /** Words that go on behind this. */
  beginningWith(start: string): readonly KnownWord[];
  /** Words whose stem has something before this. */
  endingWith(end: string): readonly KnownWord[];
}
