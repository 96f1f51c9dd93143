import type { Emit } from "palimpsest";
import { type BatchOutcome, type Snapshot, stageBatch, textsOf } from "./batch.ts";
import { checkDraft, checkReason } from "./check-draft.ts";
import { checkIndex } from "./check-index.ts";
import { toSummaries } from "./file-row.ts";
import { headOf } from "./index-text.ts";
import type { Memory } from "./memory.ts";
import type { MemoryFiles, MemoryView, PlannedChanges, SeenFiles } from "./memory-files.ts";
import type { WriteOutcome } from "./outcomes.ts";
import { pathOf, readPath } from "./paths.ts";
import { type Plan, planForget, planProposal, planRecall, planRename, planWrite } from "./plan-changes.ts";
import { notWaiting, planAcceptance, planRejection } from "./plan-judgment.ts";
import { readForgotten, readProposal } from "./proposal-text.ts";
import type { Embedder, TopicSearch } from "./search/topic-search.ts";
import { screen } from "./secrets/screen.ts";
import { isSlug } from "./slug.ts";
import { toTopic } from "./to-topic.ts";
import type { Author, Topic, TopicDraft, TopicSummary } from "./topic.ts";
import { textOfTopic } from "./topic-fact.ts";
import { planUndo } from "./undo.ts";

/** Options of a memory over any files. */
export interface CreateMemoryOptions {
  /** Called when the user has judged a memory; a session's `emit` passes it on to its listeners. @default none */
  readonly emit?: Emit;
  /** Finds topics by meaning, too. Its vectors are kept in memory. @default by words only */
  readonly embedder?: Embedder;
}

/** A memory over files, wherever they are kept: checks, plans and texts. */
export function createMemory(files: MemoryFiles, { emit, embedder }: CreateMemoryOptions = {}): Memory {
  const { limits } = files;
  let index: TopicSearch | undefined;

  /** Plans on the current state, and applies the plan. */
  const change = (by: Author, plan: (view: MemoryView) => Plan): Promise<WriteOutcome> =>
    files.change((view): PlannedChanges<WriteOutcome> => {
      const planned = plan(view);
      if (planned.kind !== "plan") return { outcome: planned };
      const { changes, message, outcome, verdict } = planned;
      const full = checkIndex(view, changes);
      if (full !== undefined) return { outcome: full };
      return {
        set: { by, message, changes },
        outcomeOf(applied) {
          if (applied.kind === "stale") return { kind: "stale", slug: slugAt(applied.path), version: applied.version };
          if (verdict !== undefined) emit?.({ kind: "memory-judged", verdict });
          return { ...outcome, commit: applied.commit };
        },
      };
    });
  async function withDraft(
    draft: TopicDraft,
    reason: string | undefined,
    by: Author,
    plan: (view: MemoryView, checked: TopicDraft & { slug: string }) => Plan,
  ): Promise<WriteOutcome> {
    const checked = checkDraft(draft, limits);
    if ("kind" in checked) return checked;
    const bad =
      (reason === undefined ? undefined : checkReason("reason", reason)) ??
      (await screen([...textsOf(draft), reason ?? ""]));
    return bad ?? change(by, (view) => plan(view, checked));
  }
  const list = (): Promise<readonly TopicSummary[]> => files.look(({ rows }) => toSummaries(rows.values()));
  async function readAll(slugs: readonly string[]): Promise<readonly Topic[]> {
    const asked = slugs.filter(isSlug);
    if (asked.length === 0) return [];
    const found = await files.read(asked.map((slug) => pathOf("topic", slug)));
    return asked.flatMap((slug) => {
      const file = found.get(pathOf("topic", slug));
      return file === undefined ? [] : [toTopic(slug, file)];
    });
  }
  const proposals = (): Promise<ReturnType<typeof readProposal>[]> =>
    files.look((seen) => filesIn(seen, "inbox", readProposal));

  return {
    list,
    read: async (slug) => (await readAll([slug]))[0],
    readAll,
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
    inbox: async () =>
      (await proposals()).toSorted((one, other) => (one.proposedAtMs ?? 0) - (other.proposedAtMs ?? 0)),
    async accept(slug, options = {}) {
      const { changed } = options;
      // The topic may have been edited since the proposal.
      const proposal = (await proposals()).find((one) => one.slug === slug);
      if (proposal === undefined) return notWaiting(slug);
      const draft = { ...proposal.draft, ...changed };
      const checked = changed === undefined ? undefined : checkDraft(draft, limits);
      const bad = (checked !== undefined && "kind" in checked ? checked : undefined) ?? (await screen(textsOf(draft)));
      return bad ?? change("user", (view) => planAcceptance(view, { slug, seen: proposal.version, ...options }));
    },
    setRecall: (slug, recall) => change("user", (view) => planRecall(view, slug, recall)),
    reject: (slug) => change("user", (view) => planRejection(view, slug)),
    forgotten: () =>
      files.look((seen) =>
        filesIn(seen, "forgotten", (text, slug) => ({ slug, ...readForgotten(text, slug) })).toSorted(
          (one, other) => (one.atMs ?? 0) - (other.atMs ?? 0),
        ),
      ),
    async head() {
      const index = await files.readIndex();
      return index === undefined ? undefined : headOf(index, limits);
    },
    problems: () => files.problems(),
    log: (limit = 20) => files.log(limit),
    diff: (name) => files.diff(name),
    async undo(name) {
      const found = await files.readCommit(name);
      if (found === undefined) return { kind: "unknown-commit" };
      if ("kind" in found) return found;
      return files.change((view) => planUndo(view, found));
    },
    async batch(by, message, act, guard) {
      const bad = checkReason("message", message) ?? (await screen([message]));
      if (bad !== undefined) return bad;
      const snapshot = await files.change((view) => ({ outcome: takeSnapshot(view) }));
      const staged = stageBatch(snapshot, { by, limits, now: () => files.now() });
      await act(staged.batch);
      const [changes, summary] = [staged.changes(), staged.summary()];
      if (changes.length === 0) return { kind: "unchanged" };
      const why = await guard?.(summary);
      if (why !== undefined) return { kind: "held", why, summary, steps: staged.steps() };
      return files.change((view): PlannedChanges<BatchOutcome> => {
        const moved = changes.filter(({ path, before }) => (view.rows.get(path)?.version ?? "none") !== before);
        if (moved.length > 0) return { outcome: { kind: "stale", slugs: moved.map(({ path }) => slugAt(path)) } };
        const full = checkIndex(view, changes);
        if (full !== undefined) return { outcome: full };
        return {
          set: { by, message, changes },
          outcomeOf: (applied) =>
            applied.kind === "stale"
              ? { kind: "stale", slugs: [slugAt(applied.path)] }
              : { kind: "written", commit: applied.commit, summary },
        };
      });
    },
    async search(words, limit) {
      const topics = new Map((await list()).map((topic) => [topic.slug, topic]));
      if (topics.size === 0) return [];
      const { TopicSearch } = await import("./search/topic-search.ts");
      index ??= new TopicSearch(embedder);
      const changed = await readAll(index.outdated([...topics.values()]));
      await index.put(changed.map((topic) => ({ ...topic, text: `${topic.name}\n${textOfTopic(topic)}` })));
      const found = await index.find(words, limit);
      return found.flatMap(({ slug, score }) => {
        const topic = topics.get(slug);
        return topic === undefined ? [] : [{ ...topic, score }];
      });
    },
    async noteUse(slugs) {
      // A full or read-only disk, a database that cannot be reached: a count must not make a turn fail.
      if (slugs.length > 0) await files.noteUse(slugs).catch(() => undefined);
    },
    uses: () => files.uses(),
    close: () => files.close(),
  };
}

function filesIn<T>(
  { rows, read }: SeenFiles,
  place: "inbox" | "forgotten",
  toValue: (text: string, slug: string, version: string) => T,
): T[] {
  return [...rows.values()].flatMap(({ path, version }) => {
    const at = readPath(path);
    const file = at?.place !== place || version === undefined ? undefined : read(path);
    return at === undefined || file === undefined ? [] : [toValue(file.bytes.toString(), at.slug, file.version)];
  });
}

function takeSnapshot({ rows, bytes, isUnsafe }: MemoryView): Snapshot {
  const present = [...rows.values()].filter(({ version }) => version !== undefined);
  return {
    rows: new Map(rows),
    contents: new Map(present.map(({ path }) => [path, Buffer.from(bytes(path))])),
    unsafe: new Set([...rows.keys()].filter(isUnsafe)),
  };
}

function slugAt(path: string): string {
  return readPath(path)?.slug ?? "";
}
