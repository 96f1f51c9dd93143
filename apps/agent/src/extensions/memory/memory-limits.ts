/** The limits of automatic memory in the agent. The first start and the help of `memory dream` state some of them. */
export const MEMORY_LIMITS = {
  /** The percentage of a session's bill that its extractions may cost. */
  extractionCostPercent: 3,
  /** Tokens that the extractions of all sessions of the user may use in a day, not counting cache reads. */
  extractionTokensPerDay: 1_000_000,
  /** The maximum number of model calls of a dream. */
  dreamRounds: 40,
  /** A dream starts by itself only if so many hours have passed since the last one. */
  dreamWaitHours: 24,
  /** A dream starts by itself only if so many other sessions were used since the last one. */
  dreamMinSessions: 5,
} as const;
