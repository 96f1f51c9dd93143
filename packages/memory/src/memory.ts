import type { Batch, BatchGuard, BatchOutcome } from "./batch.ts";
import type { DiffOutcome, MemoryCommit, MemoryProblem, NoHistory, TopicUse } from "./memory-files.ts";
import type { WriteOutcome } from "./outcomes.ts";
import type { Forgotten, Proposal } from "./proposal-text.ts";
import type { Author, Topic, TopicDraft, TopicSummary } from "./topic.ts";
import type { UndoOutcome } from "./undo.ts";

/** A topic that a search found. Scores of one search are comparable. */
export interface FoundSummary extends TopicSummary {
  readonly score: number;
}

/** How `Memory.accept` writes a proposal: over which version of its topic, and in whose words. */
export interface AcceptOptions {
  /** The topic's version to write over. @default the one that the proposal was made for */
  readonly expected?: string;
  /** The user's own words. The topic is then the user's. @default as proposed */
  readonly changed?: Pick<TopicDraft, "description" | "body">;
}

/**
 * Topics that outlive a session. A topic is never overwritten unseen, and nothing is lost: changed and forgotten topics stay in
 * the history.
 *
 * `expected` is the version that was read, or "none" for a topic that must not be there yet: whoever has read an older version
 * gets `stale`, and nothing is written.
 */
export interface Memory {
  list(): Promise<readonly TopicSummary[]>;
  read(slug: string): Promise<Topic | undefined>;
  /** Several topics at once, in this order; without those that are not there. */
  readAll(slugs: readonly string[]): Promise<readonly Topic[]>;
  /** Others cannot write the user's own topics, nor topics that the user had forgotten: such writes become proposals. */
  write(draft: TopicDraft, by: Author, expected: string): Promise<WriteOutcome>;
  /** The text is kept where it is never recalled, with the reason. */
  forget(slug: string, by: Author, because: string, expected: string): Promise<WriteOutcome>;
  rename(slug: string, to: string, by: Author, expected: string): Promise<WriteOutcome>;
  /** Adds a proposal to the inbox, to wait for the user's approval. */
  propose(draft: TopicDraft, by: Author, why: string): Promise<WriteOutcome>;
  /** The oldest first. */
  inbox(): Promise<readonly Proposal[]>;
  accept(slug: string, options?: AcceptOptions): Promise<WriteOutcome>;
  reject(slug: string): Promise<WriteOutcome>;
  /** Whether the topic is attached to messages that it fits: the user's decision. It outlives changes of the topic. */
  setRecall(slug: string, recall: Topic["recall"]): Promise<WriteOutcome>;
  /** The oldest first. */
  forgotten(): Promise<readonly (Forgotten & { readonly slug: string })[]>;
  /** The index as the model sees it, cut to its limits; undefined if there is nothing to show. */
  head(): Promise<string | undefined>;
  /** Files in a folder that are not read: links, and invalid names. */
  problems(): Promise<readonly MemoryProblem[]>;
  /** The newest first. @default limit 20 */
  log(limit?: number): Promise<{ readonly kind: "log"; readonly commits: readonly MemoryCommit[] } | NoHistory>;
  /** @default the newest commit */
  diff(commit?: string): Promise<DiffOutcome>;
  /** Reverts a commit by another one. Files that were changed since stay unchanged, and are named. */
  undo(commit: string): Promise<UndoOutcome>;
  /**
   * Makes several changes as one commit, all or nothing. They are based on the memory at the start of the batch; no lock is
   * held until they are applied, so `act` may take long.
   */
  batch(by: Author, message: string, act: (batch: Batch) => Promise<void>, guard?: BatchGuard): Promise<BatchOutcome>;
  /** Finds topics that share words with these, in any language, the best first. There is no minimum score. */
  search(words: string, limit: number): Promise<readonly FoundSummary[]>;
  /** Counts that topics were shown or read. If nothing can be written, nothing is counted. */
  noteUse(slugs: readonly string[]): Promise<void>;
  /** Uses of topics, also of removed ones. */
  uses(): Promise<ReadonlyMap<string, TopicUse>>;
  close(): Promise<void>;
}
