/**
 * What the watchers of a session see while it runs on some worker, numbered from 1. Not the truth: that is the log. Old events are
 * pruned.
 */
export interface Events {
  /**
   * Adds events behind those that are there. Publishers of one session take turns, so that offsets become visible in order and
   * without holes.
   */
  publish(session: string, events: readonly unknown[], options?: PublishOptions): Promise<PublishOutcome>;
  /** Reads the events after an offset. */
  read(session: string, options?: ReadEventsOptions): Promise<EventPage>;
  /** Reads the events after an offset, then those that come, until the signal is aborted. */
  watch(session: string, options?: WatchEventsOptions): AsyncIterable<WatchedEvent | TooOld>;
  /** Deletes old events, a page of sessions at a time. */
  prune(options: PruneEventsOptions): Promise<{ readonly pruned: number; readonly next?: string }>;
}

/** Options of one batch of events. */
export interface PublishOptions {
  /**
   * The publisher's right to the session: the number of its run, or the fence of its writer. A publisher with a lower number than the
   * highest one so far is refused. @default everybody may publish
   */
  readonly fence?: number;
  /**
   * Names this batch. The newest batch that has a name is not added a second time: for the one publisher of a run, if it does not know
   * whether a batch was added. @default none
   */
  readonly batch?: string;
}

/** Whether the events were published. `fenced`: another process has taken the session over. */
export type PublishOutcome =
  | { readonly kind: "published"; readonly newestOffset: number }
  /** A publisher with a higher number has replaced this one. */
  | { readonly kind: "fenced"; readonly fence: number };

/** Where reading begins, and how many events it returns. */
export interface ReadEventsOptions {
  /** `Last-Event-ID`: the offset of the last event that the reader has. @default the reader has none, and takes what there is */
  readonly after?: number;
  /** @default 256 */
  readonly limit?: number;
}

/** Where watching begins, and when it ends. */
export interface WatchEventsOptions extends Pick<ReadEventsOptions, "after"> {
  readonly signal?: AbortSignal;
}

/** Which events to delete. */
export interface PruneEventsOptions {
  /** Events that were published before this time are deleted. */
  readonly beforeMs: number;
  /** `next` of the page before. */
  readonly after?: string;
  /** The number of sessions to look at. @default 100 */
  readonly limit?: number;
}

/** One event with its offset. */
export interface WatchedEvent {
  readonly kind: "event";
  readonly offset: number;
  readonly event: unknown;
}

/**
 * Events after the reader's offset are gone, or its offset is that of a session that was deleted. Read the log instead, then continue
 * after `oldestOffset - 1`.
 */
export interface TooOld {
  readonly kind: "too-old";
  /** The first event that can be read; `newestOffset + 1` if there is none. */
  readonly oldestOffset: number;
  readonly newestOffset: number;
}

/** Events of a session, oldest first, or the news that they were pruned. */
export type EventPage =
  | { readonly kind: "read"; readonly events: readonly WatchedEvent[]; readonly newestOffset: number }
  | TooOld;

/** The sizes of pages, if nothing else is asked for. */
export const DEFAULT_EVENTS = {
  readLimit: 256,
  pruneLimit: 100,
} as const;
