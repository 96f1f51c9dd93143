import type { NewEvent } from "palimpsest";
import { type AuthoredChange, versionOf } from "./change-set.ts";
import type { CheckedDraft } from "./check-draft.ts";
import { type FileRow, factOf } from "./file-row.ts";
import { changeFrontmatter } from "./frontmatter.ts";
import type { MemoryView } from "./memory-files.ts";
import { type Proposed, type Refused, refused, type Stale, type Unchanged, type Written } from "./outcomes.ts";
import { pathOf, readPath } from "./paths.ts";
import { type Forgotten, forgottenText, proposalText, readForgotten } from "./proposal-text.ts";
import { freeSlug, isSlug } from "./slug.ts";
import type { Author } from "./topic.ts";
import { writeTopicText } from "./topic-text.ts";

/** The planned changes and their outcome. Pure: nothing is touched. */
export type Plan =
  | {
      readonly kind: "plan";
      readonly message: string;
      readonly changes: readonly AuthoredChange[];
      readonly outcome: Written | Proposed;
      /** The user's judgment, implied by this change, of a memory by a model. */
      readonly verdict?: Extract<NewEvent, { kind: "memory-judged" }>["verdict"];
    }
  | Unchanged
  | Stale
  | Refused;

export function planWrite(view: MemoryView, draft: CheckedDraft, by: Author, expected: string): Plan {
  const { slug } = draft;
  const path = pathOf("topic", slug);
  const blocked = checkPlace(view, "topic", slug, expected);
  if (blocked !== undefined) return blocked;
  const before = versionAt(view, path);
  const known = before === "none" ? findForgotten(view, slug, draft.body) : undefined;
  if (by !== "user" && before !== "none" && view.rows.get(path)?.author === "user") {
    return planProposal(view, draft, by, `${slug} was written or edited by the user, and is changed by the user only`);
  }
  if (by !== "user" && known?.by === "user") {
    return planProposal(view, draft, by, `the user had it forgotten: ${known.forgotten.because}`);
  }
  const over = before === "none" ? "" : textOf(view, path);
  const text = writeTopicText(draft, over, { by, nowMs: view.nowMs });
  if (before !== "none" && text === over) return { kind: "unchanged", slug, version: before };
  const after = Buffer.from(text);
  return (
    checkSize(view, after) ?? {
      kind: "plan",
      message: `${before === "none" ? "write" : "change"} ${slug}`,
      changes: [{ path, before, after, author: by }],
      outcome: {
        kind: "written",
        slug,
        version: versionOf(after),
        ...(known === undefined ? {} : { forgotten: known.forgotten }),
      },
      ...(isJudged(view, path, by) ? { verdict: "corrected" } : {}),
    }
  );
}

export function planForget(
  view: MemoryView,
  { slug, by, because, expected }: { slug: string; by: Author; because: string; expected: string },
): Plan {
  const path = pathOf("topic", slug);
  const blocked = checkPlace(view, "topic", slug, expected) ?? checkOwner(view, slug, by);
  if (blocked !== undefined) return blocked;
  const before = versionAt(view, path);
  if (before === "none") return refused("not-there", `There is no topic ${slug}.`);
  const kept = keepAsForgotten(view, textOf(view, path), { topic: slug, by, because });
  return {
    kind: "plan",
    message: `forget ${slug}: ${because}`,
    // What is kept stands before what it is kept of goes.
    changes: [kept, { path, before, after: undefined, author: by }],
    outcome: { kind: "written", slug, version: "none" },
    ...(isJudged(view, path, by) ? { verdict: "rejected" } : {}),
  };
}

export function planRename(
  view: MemoryView,
  { slug, to, by, expected }: { slug: string; to: string; by: Author; expected: string },
): Plan {
  const [path, target] = [pathOf("topic", slug), pathOf("topic", to)];
  const blocked =
    checkPlace(view, "topic", slug, expected) ?? checkOwner(view, slug, by) ?? checkPlace(view, "topic", to, "none");
  if (blocked !== undefined) return blocked;
  const before = versionAt(view, path);
  if (before === "none") return refused("not-there", `There is no topic ${slug}.`);
  const author = view.rows.get(path)?.author ?? by;
  return {
    kind: "plan",
    message: `rename ${slug} to ${to}`,
    changes: [
      { path: target, before: "none", after: view.bytes(path), author },
      { path, before, after: undefined, author },
    ],
    outcome: { kind: "written", slug: to, version: before },
  };
}

/** Into the inbox: nothing there is indexed, recalled or shown to a model before the user's approval. */
export function planProposal(view: MemoryView, draft: CheckedDraft, by: Author, why: string): Plan {
  const { slug: topic } = draft;
  const waiting = [...view.rows.values()].filter((row) => isIn(row, "inbox"));
  const fact = factOf(draft.body);
  const same = waiting.find((row) => row.fact === fact && row.topic === topic);
  if (same !== undefined) return { kind: "unchanged", slug: readPath(same.path)!.slug, version: same.version! };
  const known = findForgotten(view, topic, draft.body);
  if (known?.by === "user" && known.match === "fact" && by !== "user") {
    return refused("forgotten", `The user did not want it: ${known.forgotten.because}. Do not propose it again.`);
  }
  const { proposals } = view.limits;
  if (waiting.length >= proposals) {
    return refused(
      "inbox-full",
      `${waiting.length} proposals wait in the inbox; at most ${proposals} can. Decide on some.`,
    );
  }
  const slug = freeSlug(topic, (candidate) => isTaken(view, "inbox", candidate));
  const over = versionAt(view, pathOf("topic", topic));
  const after = Buffer.from(proposalText(draft, { topic, by, why, over, nowMs: view.nowMs }));
  return (
    checkSize(view, after) ?? {
      kind: "plan",
      message: `propose ${topic}: ${why}`,
      changes: [{ path: pathOf("inbox", slug), before: "none", after, author: by }],
      outcome: { kind: "proposed", slug, topic, version: versionOf(after), why },
    }
  );
}

/** The user's decision whether a topic is attached to messages. Nothing else of it changes, nor whose it is. */
export function planRecall(view: MemoryView, slug: string, recall: "on" | "off"): Plan {
  const path = pathOf("topic", slug);
  const before = isSlug(slug) ? versionAt(view, path) : "none";
  if (before === "none") return refused("not-there", `There is no topic ${slug}.`);
  const blocked = checkPlace(view, "topic", slug, before);
  if (blocked !== undefined) return blocked;
  const text = textOf(view, path);
  const changed = changeFrontmatter(text, { recall: recall === "off" ? "off" : undefined });
  if (changed === text) return { kind: "unchanged", slug, version: before };
  const after = Buffer.from(changed);
  return {
    kind: "plan",
    message: recall === "off" ? `dismiss ${slug}` : `recall ${slug} again`,
    changes: [{ path, before, after, author: view.rows.get(path)!.author }],
    outcome: { kind: "written", slug, version: versionOf(after) },
  };
}

/** Whether the user changes a text that a model wrote. */
function isJudged(view: MemoryView, path: string, by: Author): boolean {
  const author = view.rows.get(path)?.version === undefined ? undefined : view.rows.get(path)?.author;
  return by === "user" && author !== undefined && author !== "user";
}

export function keepAsForgotten(
  view: MemoryView,
  text: string,
  { topic, by, because }: { topic: string; by: Author; because: string },
): AuthoredChange {
  const slug = freeSlug(topic, (candidate) => isTaken(view, "forgotten", candidate));
  const after = Buffer.from(forgottenText(text, { topic, by, because, nowMs: view.nowMs }));
  return { path: pathOf("forgotten", slug), before: "none", after, author: by };
}

interface FoundForgotten {
  readonly by: Author;
  readonly match: "fact" | "name";
  readonly forgotten: Forgotten;
}

/** The same fact if there is one, else something of that name. */
function findForgotten(view: MemoryView, slug: string, body: string): FoundForgotten | undefined {
  const fact = factOf(body);
  const candidates = [...view.rows.values()].filter((row) => isIn(row, "forgotten"));
  const byFact = candidates.find((row) => row.fact === fact);
  const row = byFact ?? candidates.find(({ topic }) => topic === slug);
  if (row === undefined) return undefined;
  const forgotten = readForgotten(textOf(view, row.path), readPath(row.path)!.slug);
  return { by: row.author, match: byFact === undefined ? "name" : "fact", forgotten };
}

export function checkPlace(
  view: MemoryView,
  place: "topic",
  slug: string,
  expected: string,
): Stale | Refused | undefined {
  if (!isSlug(slug)) return refused("bad-name", `${JSON.stringify(slug.slice(0, 100))} names no topic.`);
  const path = pathOf(place, slug);
  if (view.isUnsafe(path)) {
    return refused("unsafe-file", `${path} is a link or no plain file, and was left alone. Remove it first.`);
  }
  const version = versionAt(view, path);
  return version === expected ? undefined : { kind: "stale", slug, version };
}

function checkOwner(view: MemoryView, slug: string, by: Author): Refused | undefined {
  const row = view.rows.get(pathOf("topic", slug));
  if (by === "user" || row?.version === undefined || row.author !== "user") return undefined;
  return refused(
    "user-written",
    `${slug} was written or edited by the user. Only the user can have it removed or renamed.`,
  );
}

export function checkSize(view: MemoryView, after: Uint8Array): Refused | undefined {
  const { topicBytes } = view.limits;
  if (after.length <= topicBytes) return undefined;
  return refused(
    "too-large",
    `The topic would have ${after.length} bytes; at most ${topicBytes} are possible. Shorten it.`,
  );
}

function isTaken(view: MemoryView, place: "inbox" | "forgotten", slug: string): boolean {
  const path = pathOf(place, slug);
  return versionAt(view, path) !== "none" || view.isUnsafe(path);
}

function isIn(row: FileRow, place: "inbox" | "forgotten"): boolean {
  return row.version !== undefined && readPath(row.path)?.place === place;
}

export function textOf(view: MemoryView, path: string): string {
  return Buffer.from(view.bytes(path)).toString();
}

export function versionAt(view: MemoryView, path: string): string {
  return view.rows.get(path)?.version ?? "none";
}
