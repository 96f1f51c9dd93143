import { sha256 } from "palimpsest/store-parts";

/**
 * What was said to sessions and is not in their logs yet. An item is stored together with a wake of its session. Its number is what
 * `session.turn.takeIn` needs to take it in once, however often it is delivered.
 */
export interface SessionInbox {
  /**
   * Stores an item and wakes the session: both or neither. An item whose key the session was given before is not stored again, also if
   * that item was acknowledged long ago.
   */
  add(session: string, item: InboxDraft): Promise<AddedItem>;
  /** Reads the items that nobody has acknowledged, oldest first. */
  read(session: string, options?: { readonly limit?: number }): Promise<readonly InboxItem[]>;
  /** Removes the contents of items that are in the log. Their keys stay known until the session is deleted. */
  acknowledge(session: string, numbers: readonly number[]): Promise<void>;
}

/** An item to add. A repeated `key` adds it once. */
export interface InboxDraft {
  /** Names the item within its session: the idempotency key of whoever sends it. */
  readonly key: string;
  /** JSON. */
  readonly payload: unknown;
  /** The W3C trace context of whoever sends it: the turn that takes it in belongs to that trace. @default none */
  readonly traceparent?: string;
}

/** Whether an item was new, and the number it has. */
export interface AddedItem {
  /** `known`: the session was given this item before. `different`: it was given another one under this key. Both: nothing was stored. */
  readonly kind: "added" | "known" | "different";
  /** Higher than those of all items that the session was given before. */
  readonly number: number;
  /** `set-aside`: the session crashed its workers too often and does not run until `Schedule.resume`. */
  readonly session: "woken" | "set-aside";
}

/** An item of an inbox, in the order of arrival. */
export interface InboxItem extends InboxDraft {
  readonly number: number;
  readonly addedAtMs: number;
}

/** Tells items of one key apart, also when their contents are gone. */
export function fingerprintOf(payloadText: string): string {
  return sha256(payloadText);
}

/** How many items are read at once, if nothing else is asked for. */
export const DEFAULT_INBOX_LIMIT = 100;
