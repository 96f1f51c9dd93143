/** Turns texts into vectors, so that topics are also found by meaning. Any model can do it: a local one, or a provider's. */
export interface Embedder {
  /** Names the model. Vectors of another name are computed again. */
  readonly name: string;
  /** The cosine from which a topic is clearly about a query, from 0 to 1. It depends on the model. */
  readonly clearAt: number;
  /** Resolves to one vector for each text, in order, all of one length. */
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}
