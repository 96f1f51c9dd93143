import { DEFAULT_EVENTS, type EventPage, type ReadEventsOptions, type WatchedEvent } from "./events.ts";

/** A batch of events as every database keeps it: a row, with the offsets of its ends. */
export interface EventBatch {
  readonly firstOffset: number;
  /** A JSON array. */
  readonly payload: string;
}

/** What a database knows of a session's events, and the batches that may hold those after an offset, in order. */
export interface StoredEvents {
  readonly oldestOffset: number;
  readonly newestOffset: number;
  readonly batches: readonly EventBatch[];
}

/** The answer to a reader. Nothing was ever published for a session that the database does not know. */
export function toEventPage(stored: StoredEvents | undefined, { after, limit }: ReadEventsOptions): EventPage {
  const { oldestOffset, newestOffset, batches } = stored ?? { oldestOffset: 1, newestOffset: 0, batches: [] };
  const from = after ?? oldestOffset - 1;
  if (from < oldestOffset - 1 || from > newestOffset) return { kind: "too-old", oldestOffset, newestOffset };
  const events = batches.flatMap(({ firstOffset, payload }) =>
    (JSON.parse(payload) as readonly unknown[])
      .map((event, index): WatchedEvent => ({ kind: "event", offset: firstOffset + index, event }))
      .filter(({ offset }) => offset > from),
  );
  return { kind: "read", events: events.slice(0, limit ?? DEFAULT_EVENTS.readLimit), newestOffset };
}
