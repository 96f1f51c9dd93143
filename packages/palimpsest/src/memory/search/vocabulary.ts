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
  /** Words of which this is a piece. */
  containing(piece: string): readonly KnownWord[];
  /** Words that share most of their spelling with this one. */
  similarTo(word: string): readonly KnownWord[];
}
