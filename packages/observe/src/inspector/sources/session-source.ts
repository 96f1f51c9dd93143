import type { Provider, ResultFiles, Store } from "palimpsest";
import type { InspectedLog } from "palimpsest/inspect";

/** Where an inspector finds sessions. */
export interface SessionSource {
  /** Sessions of one place, with what a list shows of them, and those that cannot be read. Opens no index. */
  list(): AsyncIterable<FoundSession | UnreadableSession>;
  /** Opens a session for reading; undefined if this source does not have it. */
  open(key: string): Promise<OpenedSession | undefined>;
  close(): Promise<void>;
}

/** One session that cannot be read does not hide the others. */
export interface UnreadableSession {
  readonly unreadable: string;
  readonly why: string;
}

/** A session that a source has, without its log. */
export interface FoundSession {
  /** Names the session among all sources: letters, digits and `-`. */
  readonly key: string;
  /** The id of the session where it is kept. Text of others, as are title and folder. */
  readonly id: string;
  /** The program that wrote it: `palimpsest`, or another agent. */
  readonly agent: string;
  readonly title: string;
  readonly folder?: string;
  readonly startedAtMs?: number;
  readonly usedAtMs?: number;
  readonly bytes?: number;
}

/** A session with its log and its stored results. */
export interface OpenedSession {
  readonly inspected: InspectedLog;
  readonly store: Store;
  readonly files: ResultFiles;
  /** `recorded`: the log is what was sent. `reconstructed`: it was made from a transcript of another program, which has no bytes. */
  readonly fidelity: "recorded" | "reconstructed";
  /** The key of another session of the same store. @default the sessions of a tree are no links */
  readonly keyOf?: (id: string) => string;
  /** Undoes a compaction. @default nothing can be changed */
  readonly undo?: UndoCompaction;
  close(): Promise<void>;
}

/** Undoes the compaction at an entry of a session: the model sees what it replaced again. */
export type UndoCompaction = (session: string, boundary: number) => Promise<UndoneCompaction>;

/** Whether a compaction was undone, and the size of the context before and after. */
export type UndoneCompaction =
  | { readonly kind: "undone"; readonly tokensBefore: number; readonly tokensAfter: number }
  /** Such as: another process has the session open. */
  | { readonly kind: "refused"; readonly why: string };

/** Renders requests again, by the name of the wire form in the log; undefined if there is none of that name. */
export type ProviderOf = (name: string) => Promise<Provider<unknown, unknown, unknown> | undefined>;
