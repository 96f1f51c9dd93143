/** How patient the loop is with a provider that does not answer. */
export interface RetryOptions {
  /** Calls in all, the first included. @default 5 */
  readonly maxAttempts?: number;
  /** All waits of one request together. A server that asks for more is not waited for. @default 300,000 */
  readonly maxWaitMs?: number;
  /** The first wait is at most that long, each further one at most twice the one before. @default 1,000 */
  readonly firstWaitMs?: number;
  /** No wait is longer, unless the server asks for it. @default 60,000 */
  readonly longestWaitMs?: number;
}

export interface FailedTries {
  /** How many there were. */
  readonly tries: number;
  /** How long was waited so far. */
  readonly waitedMs: number;
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** From 0 to 1, anew for every wait. */
  readonly random: number;
}

/**
 * How long to wait before the next try; undefined if there is to be none. Any time up to the bound is as likely: clients that
 * failed together do not come back together. What the server asks for is waited for in full, with such a part on top. Pure.
 */
export function retryDelayMs(
  { tries, waitedMs, retryAfterMs, random }: FailedTries,
  { maxAttempts = 5, maxWaitMs = 300_000, firstWaitMs = 1_000, longestWaitMs = 60_000 }: RetryOptions = {},
): number | undefined {
  if (tries >= maxAttempts) return undefined;
  const boundMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - 1));
  const delayMs =
    retryAfterMs === undefined ? Math.round(random * boundMs) : retryAfterMs + Math.round(random * firstWaitMs);
  return waitedMs + delayMs > maxWaitMs ? undefined : delayMs;
}
