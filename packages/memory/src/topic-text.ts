import { changeFrontmatter, type FieldChanges, readFrontmatter } from "./frontmatter.ts";
import { type Author, type Evidence, TOPIC_TYPES, type TopicDraft, type TopicType } from "./topic.ts";

/** A topic as its file tells it. */
export interface TopicContent {
  readonly name: string;
  readonly description: string;
  readonly type: TopicType;
  readonly body: string;
  readonly createdAtMs: number | undefined;
  readonly updatedAtMs: number | undefined;
  /** As the file claims. A file that was edited by hand is the user's, whatever it says. */
  readonly author: Author | undefined;
  readonly evidence: readonly Evidence[];
}

/** Reads a topic's file, also one that was written by hand and has no head, or another one: then its text tells. */
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
  };
}

export interface TopicStamp {
  readonly by: Author;
  readonly nowMs: number;
}

/**
 * The file of a topic as a draft wants it, over the text that stands there now (`""`: none). Where the draft says what is
 * there already, the text stays as it is, to the byte.
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
  // In the order in which a new file has them: what it is, since when, whose, and what it rests on.
  const { evidence: lines, ...head } = said;
  const stamped = changeFrontmatter(over, { ...head, created, updated: now, author: by });
  return changeFrontmatter(stamped, "evidence" in said ? { evidence: lines } : {}, readFrontmatter(changed).body);
}

function evidenceLine({ session, entry, quote }: Evidence): string {
  return JSON.stringify({ session, entry, quote });
}

/** Nothing, where a line is no evidence of ours. */
function evidenceOf(line: string): Evidence[] {
  try {
    const { session, entry, quote }: Partial<Evidence> = JSON.parse(line);
    if (typeof session !== "string" || typeof quote !== "string" || !Number.isSafeInteger(entry)) return [];
    return [{ session, entry: entry!, quote }];
  } catch {
    return [];
  }
}

/** A heading and the first line of text, where there are any. */
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

/** What is one line already, as nearly every text that is asked for. */
const ONE_LINE = /^[!-~]+(?: [!-~]+)*$/;

export function oneLine(text: string): string {
  if (ONE_LINE.test(text)) return text;
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}
