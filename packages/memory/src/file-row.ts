import { hash } from "node:crypto";
import { type AuthoredChange, versionOf } from "./change-set.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { blobId } from "./history/git-object.ts";
import { readPath } from "./paths.ts";
import type { Author, TopicSummary, TopicType } from "./topic.ts";
import { readTopicText } from "./topic-text.ts";

/** What is known of one file of the memory: a topic, a proposal, a forgotten topic, or the index. */
export interface FileRow {
  readonly path: string;
  /** SHA-256 of its bytes; undefined: the file was there once, and is gone. */
  readonly version: string | undefined;
  /** What git calls its content. */
  readonly blob: string | undefined;
  readonly author: Author;
  readonly name: string;
  readonly description: string;
  readonly type: TopicType;
  readonly updatedAtMs: number;
  /** The topic that a proposal or a forgotten topic is about. */
  readonly topic: string;
  /** Digest of its content, ignoring spaces and punctuation. */
  readonly fact: string;
}

export interface RowFacts {
  readonly author: Author;
  /** `by-hand`: the file's own date of change is outdated. @default "by-us" */
  readonly written?: "by-us" | "by-hand";
  readonly modifiedAtMs: number;
}

/** The row of a memory file in the index. */
export function toFileRow(path: string, bytes: Buffer, { author, written = "by-us", modifiedAtMs }: RowFacts): FileRow {
  const text = bytes.toString();
  const slug = readPath(path)?.slug ?? "";
  const { name, description, type, body, updatedAtMs } = readTopicText(text, slug);
  return {
    path,
    author,
    name,
    description,
    type,
    version: versionOf(bytes),
    blob: blobId(bytes),
    updatedAtMs: written === "by-hand" ? modifiedAtMs : (updatedAtMs ?? modifiedAtMs),
    topic: readFrontmatter(text).values.get("topic") ?? slug,
    fact: factOf(body),
  };
}

/** The row of a memory file that was deleted. */
export function toGoneRow<Row extends FileRow>(row: Row, author: Author): Row {
  return { ...row, author, version: undefined, blob: undefined };
}

/** Returns the rows after the changes are applied. */
export function rowsAfter(
  rows: ReadonlyMap<string, FileRow>,
  changes: readonly AuthoredChange[],
  nowMs: number,
): Map<string, FileRow> {
  const after = new Map(rows);
  for (const { path, author, after: bytes } of changes) {
    const row = after.get(path);
    if (bytes !== undefined) after.set(path, toFileRow(path, Buffer.from(bytes), { author, modifiedAtMs: nowMs }));
    else if (row !== undefined) after.set(path, toGoneRow(row, author));
  }
  return after;
}

/** Equal for texts that differ only in spaces, punctuation and case. */
export function factOf(body: string): string {
  return hash(
    "sha256",
    body
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(" ") ?? "",
    "hex",
  );
}

/** The existing topics, by slug. */
export function toSummaries(rows: Iterable<FileRow>): TopicSummary[] {
  const found = [...rows].flatMap((row) => {
    const { path, version, name, description, type, updatedAtMs, author } = row;
    const at = readPath(path);
    if (at?.place !== "topic" || version === undefined) return [];
    return [{ slug: at.slug, name, description, type, updatedAtMs, version, author }];
  });
  return found.sort((one, other) => (one.slug < other.slug ? -1 : 1));
}
