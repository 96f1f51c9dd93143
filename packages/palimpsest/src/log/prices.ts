/** What a model costs. */
export interface ModelPrices extends TokenPrices {
  /** The prices of the whole request once its input, cached or not, is larger than this. */
  readonly above?: TokenPrices & { readonly inputTokens: number };
}

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}
