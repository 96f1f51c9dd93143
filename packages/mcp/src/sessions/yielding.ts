import { setImmediate } from "node:timers/promises";

/** How long a call may read before others have their turn. */
const SLICE_MS = 10;

/** The same items. Reading stops when the signal is aborted, and pauses often enough that the protocol is never held up. */
export async function* yielding<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  signal?: AbortSignal,
): AsyncGenerator<Item> {
  let pausedAtMs = performance.now();
  for await (const item of items) {
    if (performance.now() - pausedAtMs > SLICE_MS) {
      await setImmediate();
      pausedAtMs = performance.now();
    }
    signal?.throwIfAborted();
    yield item;
  }
}
