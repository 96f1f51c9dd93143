import { aText, checkOptions, type Emit } from "palimpsest/core";
import { applyChanges } from "./apply-changes.ts";
import { type Batch, type BatchGuard, type BatchOutcome, type Snapshot, stageBatch, textsOf } from "./batch.ts";
import { checkDraft, checkReason } from "./check-draft.ts";
import { checkIndex } from "./check-index.ts";
import { toSummaries } from "./file-row.ts";
import { readOwnFile, readPlainFile } from "./files/own-file.ts";
import type { MemoryProblem } from "./files/scan-files.ts";
import { BRANCH } from "./history/commit-files.ts";
import { readReference } from "./history/objects.ts";
import { type MemoryCommit, type NoHistory, readCommit, readDiff, readLog } from "./history/read-history.ts";
import { headOf } from "./index-text.ts";
import { DEFAULT_LIMITS, type MemoryLimits } from "./limits.ts";
import { type ChangedTopics, createMemoryDirectory, type FilesSnapshot } from "./memory-directory.ts";
import { isUnsafe, type MemoryTransaction, readFile } from "./memory-transaction.ts";
import type { WriteOutcome } from "./outcomes.ts";
import { INDEX_PATH, pathOf, readPath } from "./paths.ts";
import {
  type DirectoryView,
  type Plan,
  planAcceptance,
  planForget,
  planProposal,
  planRejection,
  planRename,
  planWrite,
} from "./plan-changes.ts";
import { type Forgotten, type Proposal, readForgotten, readProposal } from "./proposal-text.ts";
import { screen } from "./secrets/screen.ts";
import { isSlug } from "./slug.ts";
import { toTopic } from "./to-topic.ts";
import type { Author, Topic, TopicDraft, TopicSummary } from "./topic.ts";
import { viewOf } from "./transaction-view.ts";
import { type UndoOutcome, undoCommit } from "./undo.ts";

export interface MemoryOptions {
  /**
   * The folder, one per scope (a project, a user, a tenant), chosen by the host. It is created, for this user only, with the
   * first write.
   */
  readonly folder: string;
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /** @default DEFAULT_LIMITS */
  readonly limits?: Partial<MemoryLimits>;
  /** The program that reads history. @default "git" from the PATH */
  readonly gitProgram?: string;
  /** How long to wait for other writers, in real time. @default 30_000 */
  readonly lockTimeoutMs?: number;
  /** Called within the transaction that changes topics, so that an index of them in the same database is never behind. */
  readonly onChanged?: (changed: ChangedTopics) => void;
  /** Called when the user has judged a memory; a session's `emit` passes it on to its listeners. @default none */
  readonly emit?: Emit;
}

/**
 * Topics that outlive a session: plain files in one folder, which the user may edit at any time. What is there is never
 * overwritten unseen, and nothing is lost: what was changed or forgotten stands in a history of its own.
 *
 * `expected` is the version that was read, or "none" for what must not be there yet: who has read something older gets
 * `stale` and nothing is written.
 */
export interface Memory {
  readonly folder: string;
  list(): Promise<readonly TopicSummary[]>;
  read(slug: string): Promise<Topic | undefined>;
  /** Others cannot write the user's own topics, nor topics that the user had forgotten: such writes become proposals. */
  write(draft: TopicDraft, by: Author, expected: string): Promise<WriteOutcome>;
  /** The text is kept where it is never recalled, with the reason. */
  forget(slug: string, by: Author, because: string, expected: string): Promise<WriteOutcome>;
  rename(slug: string, to: string, by: Author, expected: string): Promise<WriteOutcome>;
  /** Adds a proposal to the inbox, to wait for the user's approval. */
  propose(draft: TopicDraft, by: Author, why: string): Promise<WriteOutcome>;
  /** The oldest first. */
  inbox(): Promise<readonly Proposal[]>;
  /** @param expected the topic's version to write over. @default the one that the proposal was made for */
  accept(slug: string, expected?: string): Promise<WriteOutcome>;
  reject(slug: string): Promise<WriteOutcome>;
  /** The oldest first. */
  forgotten(): Promise<readonly (Forgotten & { readonly slug: string })[]>;
  /** The index as the model sees it, cut to its limits; undefined if there is nothing to show. */
  head(): Promise<string | undefined>;
  /** Files in the folder that are not read: links, and invalid names. */
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
  close(): Promise<void>;
}

export type DiffOutcome =
  | { readonly kind: "diff"; readonly commit: string; readonly text: string }
  | { readonly kind: "unknown-commit" }
  | NoHistory;

/** Opens a memory, and imports hand edits since its last use. */
export async function openMemory(options: MemoryOptions): Promise<Memory> {
  checkOptions("openMemory", options, { folder: aText("the path of a folder for the topics") });
  const { folder, clock = { now: Date.now }, gitProgram = "git", lockTimeoutMs = 30_000, onChanged, emit } = options;
  const limits: MemoryLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const directory = createMemoryDirectory({ folder, clock, limits, gitProgram, lockTimeoutMs, onChanged });

  /** Plans on the current state, and applies the plan. */
  const change = (by: Author, plan: (view: DirectoryView) => Plan): Promise<WriteOutcome> =>
    directory.transact(async (transaction) => {
      const planned = plan(viewOf(transaction));
      if (planned.kind !== "plan") return planned;
      const { changes, message, outcome, verdict } = planned;
      const full = checkIndex(viewOf(transaction), changes);
      if (full !== undefined) return full;
      const done = await applyChanges(transaction, { by, message, changes });
      if (done.kind === "done") {
        if (verdict !== undefined) emit?.({ kind: "memory-judged", verdict });
        return { ...outcome, commit: done.commit };
      }
      const slug = readPath(done.path)?.slug ?? "";
      return { kind: "stale", slug, version: readFile(transaction, done.path)?.version ?? "none" };
    });
  const withDraft = async (
    draft: TopicDraft,
    reason: string | undefined,
    by: Author,
    plan: (view: DirectoryView, checked: TopicDraft & { slug: string }) => Plan,
  ): Promise<WriteOutcome> => {
    const checked = checkDraft(draft, limits);
    if ("kind" in checked) return checked;
    const bad =
      (reason === undefined ? undefined : checkReason("reason", reason)) ??
      (await screen([...textsOf(draft), reason ?? ""]));
    return bad ?? change(by, (view) => plan(view, checked));
  };

  await directory.look("closely", () => undefined);
  return {
    folder: directory.root(),
    list: () => directory.look("closely", ({ rows }) => toSummaries(rows.values())),
    async read(slug) {
      if (!isSlug(slug)) return undefined;
      const { topic, row } = await directory.look("as-known", ({ folders, rows }) => ({
        topic: toTopic(folders, slug, rows),
        row: rows.get(pathOf("topic", slug)),
      }));
      if (topic?.version === row?.version) return topic;
      // The file was edited by hand, or another writer is replacing it right now.
      return directory.transact(async (transaction) => toTopic(transaction.folders, slug, transaction.rows));
    },
    write: (draft, by, expected) =>
      withDraft(draft, undefined, by, (view, checked) => planWrite(view, checked, by, expected)),
    async forget(slug, by, because, expected) {
      const bad = checkReason("reason", because) ?? (await screen([because]));
      return bad ?? change(by, (view) => planForget(view, { slug, by, because, expected }));
    },
    async rename(slug, to, by, expected) {
      const secret = await screen([to]);
      return secret ?? change(by, (view) => planRename(view, { slug, to, by, expected }));
    },
    propose: (draft, by, why) => withDraft(draft, why, by, (view, checked) => planProposal(view, checked, by, why)),
    inbox: () =>
      directory.look("closely", (snapshot) =>
        filesIn(snapshot, "inbox", readProposal).toSorted(
          (one, other) => (one.proposedAtMs ?? 0) - (other.proposedAtMs ?? 0),
        ),
      ),
    async accept(slug, expected) {
      // The topic may have been edited since the proposal.
      const waiting = await directory.look("closely", (snapshot) => filesIn(snapshot, "inbox", readProposal));
      const proposal = waiting.find((one) => one.slug === slug);
      const secret = proposal === undefined ? undefined : await screen(textsOf(proposal.draft));
      return secret ?? change("user", (view) => planAcceptance(view, slug, proposal?.version, expected));
    },
    reject: (slug) => change("user", (view) => planRejection(view, slug)),
    forgotten: () =>
      directory.look("closely", (snapshot) =>
        filesIn(snapshot, "forgotten", (text, slug) => ({ slug, ...readForgotten(text, slug) })).toSorted(
          (one, other) => (one.atMs ?? 0) - (other.atMs ?? 0),
        ),
      ),
    async head() {
      const { bytes, row } = await directory.look("lightly", ({ folders, rows }) => ({
        bytes: readPlainFile(folders.locate(INDEX_PATH)),
        row: rows.get(INDEX_PATH),
      }));
      const isThere = bytes !== undefined || row?.version === undefined;
      const found = isThere
        ? bytes
        : await directory.transact(async (transaction) => readFile(transaction, INDEX_PATH)?.bytes);
      return found === undefined ? undefined : headOf(found, limits);
    },
    problems: () => directory.problems(),
    async log(limit = 20) {
      await directory.look("closely", () => undefined);
      return isEmpty(directory.gitFolder()) ? { kind: "log", commits: [] } : readLog(directory.git(), limit);
    },
    async diff(name) {
      await directory.look("closely", () => undefined);
      if (isEmpty(directory.gitFolder())) return { kind: "unknown-commit" };
      const found = await readCommit(directory.git(), name);
      if (found === undefined) return { kind: "unknown-commit" };
      if ("kind" in found) return found;
      const diff = await readDiff(directory.git(), found.commit);
      return diff.kind === "diff" ? { ...diff, commit: found.commit } : diff;
    },
    undo: (commit) => directory.transact((transaction) => undoCommit(transaction, commit)),
    async batch(by, message, act, guard) {
      const bad = checkReason("message", message) ?? (await screen([message]));
      if (bad !== undefined) return bad;
      const snapshot = await directory.transact(async (transaction) => takeSnapshot(transaction));
      const staged = stageBatch(snapshot, { by, limits, now: () => clock.now() });
      await act(staged.batch);
      const [changes, summary] = [staged.changes(), staged.summary()];
      if (changes.length === 0) return { kind: "unchanged" };
      const why = await guard?.(summary);
      if (why !== undefined) return { kind: "held", why, summary, steps: staged.steps() };
      return directory.transact(async (transaction): Promise<BatchOutcome> => {
        const moved = changes.filter(({ path, before }) => (transaction.rows.get(path)?.version ?? "none") !== before);
        if (moved.length > 0) return { kind: "stale", slugs: moved.map(({ path }) => readPath(path)!.slug) };
        const full = checkIndex(viewOf(transaction), changes);
        if (full !== undefined) return full;
        const done = await applyChanges(transaction, { by, message, changes });
        if (done.kind === "stale") return { kind: "stale", slugs: [readPath(done.path)!.slug] };
        return { kind: "written", commit: done.commit, summary };
      });
    },
    close: () => directory.close(),
  };
}

function filesIn<T>(
  { folders, rows }: FilesSnapshot,
  place: "inbox" | "forgotten",
  read: (text: string, slug: string, version: string) => T,
): T[] {
  return [...rows.values()].flatMap(({ path, version }) => {
    const at = readPath(path);
    if (at?.place !== place || version === undefined) return [];
    const file = readOwnFile(folders.locate(path));
    return typeof file === "object" && "bytes" in file ? [read(file.bytes.toString(), at.slug, file.version)] : [];
  });
}

function takeSnapshot(transaction: MemoryTransaction): Snapshot {
  const present = [...transaction.rows.values()].filter(({ version }) => version !== undefined);
  const contents = present.flatMap(({ path }) => {
    const file = readFile(transaction, path);
    return file === undefined ? [] : [[path, file.bytes] as const];
  });
  const unsafe = [...transaction.rows.keys()].filter((path) => isUnsafe(transaction, path));
  return { rows: new Map(transaction.rows), contents: new Map(contents), unsafe: new Set(unsafe) };
}

function isEmpty(gitFolder: string): boolean {
  return readReference(gitFolder, BRANCH) === undefined;
}
