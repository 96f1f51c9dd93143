/** Far above the 20 million tokens of the longest conversation. */
export const LIMIT_TOKENS = 100_000_000;
