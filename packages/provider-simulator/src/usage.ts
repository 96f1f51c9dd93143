/** The usage of one request, in one form for all providers; each API renders it in its provider's own fields. */
export interface Usage {
  /** Input billed at the full price: neither read from the cache nor written to it. */
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  /** Written to the cache with the provider's shorter lifetime (5 minutes; 30 minutes). */
  readonly cacheWriteTokens: number;
  /** Written with the longer lifetime (1 hour; 12 hours). */
  readonly longCacheWriteTokens: number;
  readonly outputTokens: number;
  /** The part of `outputTokens` that was thinking. */
  readonly thinkingTokens: number;
}

export const NO_USAGE: Usage = {
  freshTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  longCacheWriteTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
};

/** The whole prompt: cached tokens fill the window like any others. */
export function inputTokensOf(usage: Usage): number {
  return usage.freshTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.longCacheWriteTokens;
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    freshTokens: left.freshTokens + right.freshTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    longCacheWriteTokens: left.longCacheWriteTokens + right.longCacheWriteTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    thinkingTokens: left.thinkingTokens + right.thinkingTokens,
  };
}
