/** Limits for retries after a failure of the provider. */
export interface RetryOptions {
  /** Total tries, the first included. @default 5 */
  readonly maxAttempts?: number;
  /** The limit for all waits of one request together. If a server asks for more, the request is given up. @default 300,000 */
  readonly maxWaitMs?: number;
  /** The bound of the first wait; each further bound doubles. @default 1,000 */
  readonly firstWaitMs?: number;
  /** The bound of any wait, unless the server asks for more. @default 60,000 */
  readonly longestWaitMs?: number;
}

export interface FailedTries {
  /** The number of tries so far. */
  readonly tries: number;
  /** The time waited so far. */
  readonly waitedMs: number;
  /** The wait that the server asks for. */
  readonly retryAfterMs?: number | undefined;
  /** A number from 0 to 1, new for every wait. */
  readonly random: number;
}

/**
 * Returns the wait before the next try; undefined if there is none. The wait is random up to its bound, so that clients that
 * failed together do not return together. A wait that the server asks for is kept in full, with a random part added. Pure.
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
