import type { ChangeSet } from "./change-set.ts";
import type { FileRow } from "./file-row.ts";
import type { MemoryLimits } from "./limits.ts";
import type { Author } from "./topic.ts";

/** The content of one file. */
export interface FileContent {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes. */
  readonly version: string;
}

/** A file, and who wrote it when. */
export interface MemoryFile extends FileContent {
  readonly author: Author;
  readonly updatedAtMs: number;
}

/** A file in the memory that is not read. */
export interface MemoryProblem {
  readonly path: string;
  readonly what: string;
}

/** All files at one time. */
export interface SeenFiles {
  readonly rows: ReadonlyMap<string, FileRow>;
  /** Undefined if the file is gone meanwhile. */
  read(path: string): FileContent | undefined;
}

/** The memory that a plan is based on: as it is stored, or with changes that are not applied yet. */
export interface MemoryView {
  readonly rows: ReadonlyMap<string, FileRow>;
  readonly limits: MemoryLimits;
  readonly nowMs: number;
  /** The bytes of an existing file. */
  bytes(path: string): Uint8Array;
  /** Whether that place is taken by something that is not our file. */
  isUnsafe(path: string): boolean;
}

/** A plan: an outcome without any change, or changes to apply and the outcome that follows from that. */
export type PlannedChanges<Outcome> =
  | { readonly outcome: Outcome }
  | { readonly set: ChangeSet; outcomeOf(applied: AppliedChanges): Outcome };

/** The commit of a change. `stale`: a file changed in the meantime, and nothing was written. */
export type AppliedChanges =
  | { readonly kind: "done"; readonly commit: string }
  /** This file was changed at the last moment. Nothing was written. */
  | { readonly kind: "stale"; readonly path: string; readonly version: string };

/** One file of a commit. */
export interface CommittedChange {
  /** The path: of a topic `<slug>.md`, of a proposal `inbox/<slug>.md`, of a forgotten topic `forgotten/<slug>.md`. */
  readonly path: string;
  readonly how: "added" | "changed" | "removed";
}

/** One change of the memory: when, by whom, and which files. */
export interface MemoryCommit {
  readonly commit: string;
  readonly atMs: number;
  readonly by: Author;
  readonly message: string;
  readonly changes: readonly CommittedChange[];
}

/** The history cannot be read: git is missing, or fails. Writes are still recorded, and can be read later. */
export interface NoHistory {
  readonly kind: "no-history";
  readonly why: string;
}

/** A change of one file in a commit; undefined: the file was absent. */
export interface PastChange {
  readonly path: string;
  readonly before: { readonly bytes: Uint8Array; readonly author: Author } | undefined;
  /** Git's id of the content that the commit left. */
  readonly after: string | undefined;
}

/** A commit with everything that it takes to revert it. */
export interface PastCommit {
  readonly commit: string;
  readonly message: string;
  readonly changes: readonly PastChange[];
}

/**
 * The files of one memory and their history: the port below `Memory`. A folder and PostgreSQL implement it; rules, limits and
 * texts stand above it.
 */
export interface MemoryFiles {
  readonly limits: MemoryLimits;
  now(): number;
  /** All files, with the edits that others have made by now. */
  look<T>(work: (seen: SeenFiles) => T): Promise<T>;
  /** These files as they are now; without those that are not there. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, MemoryFile>>;
  /** The index, with every topic that is there now. */
  readIndex(): Promise<Uint8Array | undefined>;
  /**
   * Applies the changes that are planned on the current state: all of them as one commit, or none. Where another writer is
   * faster, the plan is made again.
   */
  change<Outcome>(plan: (view: MemoryView) => PlannedChanges<Outcome>): Promise<Outcome>;
  problems(): Promise<readonly MemoryProblem[]>;
  /** The newest first. */
  log(limit: number): Promise<{ readonly kind: "log"; readonly commits: readonly MemoryCommit[] } | NoHistory>;
  /** One commit by its id or the beginning of it; undefined if there is none, or more than one. */
  readCommit(name: string): Promise<PastCommit | NoHistory | undefined>;
  /** The differences of one commit, without the index. @param name without it the newest */
  diff(name?: string): Promise<DiffOutcome>;
  /** Counts that topics were used. */
  noteUse(slugs: readonly string[]): Promise<void>;
  uses(): Promise<ReadonlyMap<string, TopicUse>>;
  close(): Promise<void>;
}

/** How often a topic was shown to the model or read by it, and when last. */
export interface TopicUse {
  readonly count: number;
  readonly lastAtMs: number;
}

/** The text of a commit, or the reason why there is none. */
export type DiffOutcome =
  | { readonly kind: "diff"; readonly commit: string; readonly text: string }
  | { readonly kind: "unknown-commit" }
  | NoHistory;
