import { type Watched, type WatchOptions, watchCall } from "../clock.ts";
import type { ToolStream } from "../schema/tool.ts";

/**
 * Reads the chunks of a stream that may hang, throw or never end. It ends in time and never throws: its return value says how
 * it ended. One watch serves the whole stream, because a chatty tool has a chunk for every line.
 */
export async function* watchStream(
  source: ToolStream,
  watch: WatchOptions,
): AsyncGenerator<Uint8Array | string, Watched<void>> {
  const over = Promise.withResolvers<void>();
  let onData = (): void => {};
  let wake = (): void => {};
  let ended: Watched<void> | undefined;
  const watched = watchCall((_, emit) => {
    onData = emit;
    return over.promise;
  }, watch).then((how) => {
    ended = how;
    wake();
    return how;
  });
  const iterator = source[Symbol.asyncIterator]();
  try {
    while (ended === undefined) {
      const next = await new Promise<IteratorResult<Uint8Array | string> | undefined>((resolve) => {
        wake = () => resolve(undefined);
        // An exception ends the watch, which wakes us.
        (async () => iterator.next())().then(resolve, over.reject);
      });
      if (next === undefined) break;
      if (next.done === true) over.resolve();
      if (next.done === true) return await watched;
      onData();
      yield next.value;
    }
    return await watched;
  } finally {
    over.resolve();
    // Not awaited: a generator that hangs would hang here, too.
    (async () => iterator.return?.())().catch(() => undefined);
  }
}
