import { createRings, type Listen } from "../rings.ts";
import type { EventPage, TooOld, WatchEventsOptions, WatchedEvent } from "./events.ts";

export interface WatchParts {
  read(after: number | undefined): Promise<EventPage>;
  /** Rings when there may be events that were not there before. */
  readonly listen: Listen;
  /** Aborted when what is watched is closed here. */
  readonly closed: AbortSignal;
}

/** Reads on and on. After events that are too old it continues with the oldest there is. */
export async function* watchEvents(
  { read, listen, closed }: WatchParts,
  { after, signal }: WatchEventsOptions,
): AsyncGenerator<WatchedEvent | TooOld> {
  const ended = signal === undefined ? closed : AbortSignal.any([closed, signal]);
  let seen = after;
  const rings = createRings(listen);
  try {
    while (!ended.aborted) {
      rings.reset();
      const page = await read(seen);
      if (page.kind === "too-old") {
        seen = page.oldestOffset - 1;
        yield page;
        continue;
      }
      for (const event of page.events) {
        if (ended.aborted) return;
        seen = event.offset;
        yield event;
      }
      // Where there is nothing yet, nothing that comes later is too much.
      seen ??= page.newestOffset;
      if (page.events.length === 0) await rings.next(ended);
    }
  } finally {
    rings.stop();
  }
}
