import { changeFrontmatter, type FieldChanges, readFrontmatter } from "./frontmatter.ts";
import { type Author, type Evidence, TOPIC_TYPES, type TopicDraft, type TopicType } from "./topic.ts";

/** A topic as read from its file. */
export interface TopicContent {
  readonly name: string;
  readonly description: string;
  readonly type: TopicType;
  readonly body: string;
  readonly createdAtMs: number | undefined;
  readonly updatedAtMs: number | undefined;
  /** The author that the file names. A file that was edited by hand belongs to the user, whatever it says. */
  readonly author: Author | undefined;
  readonly evidence: readonly Evidence[];
  /** `off`: the user does not want it to be attached to messages. */
  readonly recall: "on" | "off";
}

/**
 * Reads a topic's file. A file written by hand may have no frontmatter, or another one: then the text itself gives the
 * fields.
 */
export function readTopicText(text: string, slug: string): TopicContent {
  const { values, lists, body } = readFrontmatter(text);
  const [title, said] = openingOf(body);
  return {
    name: oneLine(values.get("name") ?? values.get("title") ?? title ?? slug.replaceAll(/[-_]+/g, " ").trim()) || slug,
    description: oneLine(values.get("description") ?? said ?? ""),
    type: TOPIC_TYPES.find((type) => type === values.get("type")) ?? "project",
    body,
    createdAtMs: timeOf(values.get("created")),
    updatedAtMs: timeOf(values.get("updated")),
    author: (["user", "model", "dream"] as const).find((author) => author === values.get("author")),
    evidence: (lists.get("evidence") ?? []).flatMap(evidenceOf),
    recall: values.get("recall") === "off" ? "off" : "on",
  };
}

export interface TopicStamp {
  readonly by: Author;
  readonly nowMs: number;
}

/**
 * Returns the text of a topic's file for a draft, based on its current text (`""`: none). Where the draft changes
 * nothing, the text stays the same to the byte.
 */
export function writeTopicText(draft: TopicDraft, over: string, { by, nowMs }: TopicStamp): string {
  const { name, description, type, body, evidence } = draft;
  const said: FieldChanges = {
    name,
    description,
    type,
    ...(evidence === undefined ? {} : { evidence: evidence.length === 0 ? undefined : evidence.map(evidenceLine) }),
  };
  const changed = changeFrontmatter(
    over,
    said,
    body
      .replaceAll("\r\n", "\n")
      .replace(/^\s*\n/, "")
      .trimEnd(),
  );
  if (changed === over) return over;
  const now = new Date(nowMs).toISOString();
  const created = readFrontmatter(over).values.get("created") ?? now;
  // The order of fields in a new file: what it is, since when, by whom, and its evidence.
  const { evidence: lines, ...head } = said;
  const stamped = changeFrontmatter(over, { ...head, created, updated: now, author: by });
  return changeFrontmatter(stamped, "evidence" in said ? { evidence: lines } : {}, readFrontmatter(changed).body);
}

function evidenceLine({ session, entry, quote }: Evidence): string {
  return JSON.stringify({ session, entry, quote });
}

/** Returns nothing if the line is not evidence in our form. */
function evidenceOf(line: string): Evidence[] {
  try {
    const { session, entry, quote }: Partial<Evidence> = JSON.parse(line);
    if (typeof session !== "string" || typeof quote !== "string" || !Number.isSafeInteger(entry)) return [];
    return [{ session, entry: entry!, quote }];
  } catch {
    return [];
  }
}

/** Returns the heading and the first line of text, if there are any. */
function openingOf(body: string): [title: string | undefined, said: string | undefined] {
  const lines = body.split("\n", 40).map((line) => line.trim());
  const title = lines.find((line) => /^#{1,6} /.test(line))?.replace(/^#+ +/, "");
  const said = lines.find((line) => line !== "" && !/^(?:#{1,6} |[-=*_]{3,}$)/.test(line))?.replace(/^[-*+>] +/, "");
  return [title, said];
}

function timeOf(written: string | undefined): number | undefined {
  const timeMs = Date.parse(written ?? "");
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** Text that is already a single line, as nearly all texts here are. */
const ONE_LINE = /^[!-~]+(?: [!-~]+)*$/;

export function oneLine(text: string): string {
  if (ONE_LINE.test(text)) return text;
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}
