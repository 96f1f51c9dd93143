import { versionOf } from "./change-set.ts";
import type { AcceptOptions } from "./memory.ts";
import type { MemoryView } from "./memory-files.ts";
import { type Refused, refused } from "./outcomes.ts";
import { pathOf } from "./paths.ts";
import { checkPlace, checkSize, keepAsForgotten, type Plan, textOf, versionAt } from "./plan-changes.ts";
import { readProposal } from "./proposal-text.ts";
import { isSlug } from "./slug.ts";
import { writeTopicText } from "./topic-text.ts";

export interface Acceptance extends AcceptOptions {
  readonly slug: string;
  /** The proposal's version that was looked at. */
  readonly seen: string;
}

export function planAcceptance(view: MemoryView, { slug, seen, expected, changed }: Acceptance): Plan {
  const inbox = pathOf("inbox", slug);
  const version = isSlug(slug) ? versionAt(view, inbox) : "none";
  if (version === "none") return notWaiting(slug);
  if (version !== seen) return { kind: "stale", slug, version };
  const { draft, topic, by, over } = readProposal(textOf(view, inbox), slug, version);
  const path = pathOf("topic", topic);
  const blocked = checkPlace(view, "topic", topic, expected ?? over);
  if (blocked !== undefined) return blocked;
  const before = versionAt(view, path);
  // A topic of the user stays the user's, whoever proposed the change; and the user's own words are the user's.
  const isUsers = before !== "none" && view.rows.get(path)?.author === "user";
  const author = isUsers || changed !== undefined ? "user" : by;
  const after = Buffer.from(
    writeTopicText({ ...draft, ...changed }, before === "none" ? "" : textOf(view, path), {
      by: author,
      nowMs: view.nowMs,
    }),
  );
  return (
    checkSize(view, after) ?? {
      kind: "plan",
      message: `accept ${topic}`,
      changes: [
        ...(versionOf(after) === before ? [] : [{ path, before, after, author }]),
        { path: inbox, before: version, after: undefined, author: "user" as const },
      ],
      outcome: { kind: "written", slug: topic, version: versionOf(after) },
      // A user who edits a proposal before approving it has corrected it.
      verdict:
        by !== "user" && (changed !== undefined || view.rows.get(inbox)?.author === "user") ? "corrected" : "confirmed",
    }
  );
}

export function planRejection(view: MemoryView, slug: string): Plan {
  const inbox = pathOf("inbox", slug);
  const version = isSlug(slug) ? versionAt(view, inbox) : "none";
  if (version === "none") return notWaiting(slug);
  const { topic } = readProposal(textOf(view, inbox), slug, version);
  const kept = keepAsForgotten(view, textOf(view, inbox), { topic, by: "user", because: "the user said no to it" });
  return {
    kind: "plan",
    message: `reject ${topic}`,
    changes: [kept, { path: inbox, before: version, after: undefined, author: "user" }],
    outcome: { kind: "written", slug: topic, version: versionAt(view, pathOf("topic", topic)) },
    verdict: "rejected",
  };
}

export function notWaiting(slug: string): Refused {
  return refused("not-there", `No proposal ${slug} waits in the inbox.`);
}
