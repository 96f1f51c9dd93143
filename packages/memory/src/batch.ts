import { type AuthoredChange, versionAfter, versionOf } from "./change-set.ts";
import { checkDraft, checkReason } from "./check-draft.ts";
import { type FileRow, rowsAfter, toSummaries } from "./file-row.ts";
import type { MemoryLimits } from "./limits.ts";
import type { MemoryView } from "./memory-files.ts";
import type { Refused, StagedOutcome } from "./outcomes.ts";
import { pathOf, readPath } from "./paths.ts";
import { type Plan, planForget, planProposal, planRename, planWrite } from "./plan-changes.ts";
import { screen } from "./secrets/screen.ts";
import { toMemoryFile, toTopic } from "./to-topic.ts";
import type { Author, Topic, TopicDraft, TopicSummary } from "./topic.ts";

/** One requested change of a batch, complete enough to be requested again. */
export type BatchStep =
  | { readonly kind: "write"; readonly draft: TopicDraft; readonly expected: string }
  | { readonly kind: "forget"; readonly slug: string; readonly because: string; readonly expected: string }
  | { readonly kind: "rename"; readonly slug: string; readonly to: string; readonly expected: string }
  | { readonly kind: "propose"; readonly draft: TopicDraft; readonly why: string };

/** The memory at the start of the batch, with the changes of the batch so far. None of it is on the disk yet. */
export interface Batch {
  list(): readonly TopicSummary[];
  read(slug: string): Topic | undefined;
  write(draft: TopicDraft, expected: string): Promise<StagedOutcome>;
  forget(slug: string, because: string, expected: string): Promise<StagedOutcome>;
  rename(slug: string, to: string, expected: string): Promise<StagedOutcome>;
  propose(draft: TopicDraft, why: string): Promise<StagedOutcome>;
}

/** The result of a batch, by slug. */
export interface BatchSummary {
  /** Topics before. */
  readonly topics: number;
  readonly added: readonly string[];
  readonly rewritten: readonly string[];
  /** No longer there under that name. */
  readonly removed: readonly string[];
  readonly proposed: readonly string[];
}

/** Returns why a batch needs the user's approval; undefined if it does not. */
export type BatchGuard = (summary: BatchSummary) => string | undefined | Promise<string | undefined>;

/** How a batch ended. `stale`: a topic changed in the meantime, and nothing was written. */
export type BatchOutcome =
  | ({ readonly kind: "written"; readonly commit: string } & { readonly summary: BatchSummary })
  | { readonly kind: "unchanged" }
  /** Others have changed these files meanwhile. Nothing was written. */
  | { readonly kind: "stale"; readonly slugs: readonly string[] }
  /** The guard refuses. Nothing was written; the steps can be repeated in another batch. */
  | {
      readonly kind: "held";
      readonly why: string;
      readonly summary: BatchSummary;
      readonly steps: readonly BatchStep[];
    }
  | Refused;

/** The state at the start of a batch. */
export interface Snapshot {
  readonly rows: ReadonlyMap<string, FileRow>;
  readonly contents: ReadonlyMap<string, Buffer>;
  readonly unsafe: ReadonlySet<string>;
}

export interface StagedBatch {
  readonly batch: Batch;
  steps(): readonly BatchStep[];
  /** One change for each file that differs. */
  changes(): readonly AuthoredChange[];
  summary(): BatchSummary;
}

export interface BatchOptions {
  readonly by: Author;
  readonly limits: MemoryLimits;
  readonly now: () => number;
}

export function stageBatch(snapshot: Snapshot, { by, limits, now }: BatchOptions): StagedBatch {
  let rows = snapshot.rows;
  const contents = new Map(snapshot.contents);
  const staged = new Map<string, AuthoredChange>();
  const steps: BatchStep[] = [];

  const view = (): MemoryView => ({
    rows,
    limits,
    nowMs: now(),
    bytes: (path) => contents.get(path)!,
    isUnsafe: (path) => snapshot.unsafe.has(path),
  });
  function stage(step: BatchStep, plan: Plan): StagedOutcome {
    if (plan.kind !== "plan") return plan;
    rows = rowsAfter(rows, plan.changes, now());
    for (const change of plan.changes) {
      const { path, after } = change;
      staged.set(path, { ...change, before: staged.get(path)?.before ?? change.before });
      if (after === undefined) contents.delete(path);
      else contents.set(path, Buffer.from(after));
    }
    steps.push(step);
    return plan.outcome;
  }
  const changes = (): AuthoredChange[] =>
    [...staged.values()].filter((change) => change.before !== versionAfter(change));

  const batch: Batch = {
    list: () => toSummaries(rows.values()),
    read(slug) {
      const path = pathOf("topic", slug);
      const bytes = contents.get(path);
      if (bytes === undefined) return undefined;
      return toTopic(slug, toMemoryFile({ bytes, version: versionOf(bytes) }, rows.get(path), now()));
    },
    async write(draft, expected) {
      const checked = checkDraft(draft, limits);
      if ("kind" in checked) return checked;
      const secret = await screen(textsOf(draft));
      return secret ?? stage({ kind: "write", draft, expected }, planWrite(view(), checked, by, expected));
    },
    async forget(slug, because, expected) {
      const bad = checkReason("reason", because) ?? (await screen([because]));
      const step = { kind: "forget", slug, because, expected } as const;
      return bad ?? stage(step, planForget(view(), { slug, by, because, expected }));
    },
    async rename(slug, to, expected) {
      const secret = await screen([to]);
      const step = { kind: "rename", slug, to, expected } as const;
      return secret ?? stage(step, planRename(view(), { slug, to, by, expected }));
    },
    async propose(draft, why) {
      const checked = checkDraft(draft, limits);
      if ("kind" in checked) return checked;
      const bad = checkReason("reason", why) ?? (await screen([...textsOf(draft), why]));
      return bad ?? stage({ kind: "propose", draft, why }, planProposal(view(), checked, by, why));
    },
  };
  return { batch, changes, steps: () => steps, summary: () => summarize(snapshot, changes()) };
}

/** All text that a draft would write to the disk. */
export function textsOf({ slug = "", name, description, body, evidence = [] }: TopicDraft): string[] {
  return [slug, name, description, body, ...evidence.flatMap(({ session, quote }) => [session, quote])];
}

function summarize({ rows }: Snapshot, changes: readonly AuthoredChange[]): BatchSummary {
  const of = (place: string, fits: (change: AuthoredChange) => boolean): string[] =>
    changes.filter(fits).flatMap(({ path }) => {
      const at = readPath(path);
      return at?.place === place ? [at.slug] : [];
    });
  return {
    topics: toSummaries(rows.values()).length,
    added: of("topic", ({ before, after }) => before === "none" && after !== undefined),
    rewritten: of("topic", ({ before, after }) => before !== "none" && after !== undefined),
    removed: of("topic", ({ after }) => after === undefined),
    proposed: of("inbox", ({ after }) => after !== undefined),
  };
}
