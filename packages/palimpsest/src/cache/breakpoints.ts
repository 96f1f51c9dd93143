/**
 * Providers with explicit caching accept four marks. One is at the end of the fixed part (tools and system), the others are in
 * the messages.
 */
const MESSAGE_MARKS = 3;

/** The number of newest requests that must be known to place the marks. */
export const MARKED_REQUESTS: number = MESSAGE_MARKS;

/**
 * Where to mark the messages of a request: at its end, and once more where the requests before it ended. The cache entry
 * of the last request is then found at its own mark, however many blocks were added since (the provider only looks 20
 * blocks back from a mark); and if that request failed before it was cached, the one before it is found.
 *
 * @param ends how many messages the newest requests consisted of, this one last
 * @returns the indexes of the messages to mark, oldest first
 */
export function placeMarks(ends: readonly number[]): readonly number[] {
  return ends.slice(-MESSAGE_MARKS).map((end) => end - 1);
}
