import { hash } from "node:crypto";
import { type OwnFile, versionOf } from "./files/own-file.ts";
import type { AuthoredChange } from "./files/pending.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { blobId } from "./history/objects.ts";
import type { FileRow } from "./index-database.ts";
import { readPath } from "./paths.ts";
import type { Author, TopicSummary } from "./topic.ts";
import { readTopicText } from "./topic-text.ts";

export interface RowFacts {
  readonly author: Author;
  /** `by-hand`: the file's own date of change is outdated. */
  readonly written: "by-us" | "by-hand";
  /** When the file was checked, by the system's clock. */
  readonly seenAtMs: number;
}

export function toFileRow(path: string, file: OwnFile, { author, written, seenAtMs }: RowFacts): FileRow {
  const text = file.bytes.toString();
  const slug = readPath(path)?.slug ?? "";
  const { name, description, type, body, updatedAtMs } = readTopicText(text, slug);
  const { modifiedAtMs } = file.state;
  return {
    path,
    author,
    name,
    description,
    type,
    seenAtMs,
    version: file.version,
    blob: blobId(file.bytes),
    state: file.state.text,
    updatedAtMs: written === "by-hand" ? modifiedAtMs : (updatedAtMs ?? modifiedAtMs),
    topic: readFrontmatter(text).values.get("topic") ?? slug,
    fact: factOf(body),
  };
}

export function toGoneRow(row: FileRow, author: Author): FileRow {
  return { ...row, author, version: undefined, blob: undefined, state: "" };
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
    if (bytes !== undefined) {
      const state = { text: "", changedAtMs: nowMs, modifiedAtMs: nowMs };
      const file = { bytes: Buffer.from(bytes), version: versionOf(bytes), state };
      after.set(path, toFileRow(path, file, { author, written: "by-us", seenAtMs: 0 }));
    } else if (row !== undefined) after.set(path, toGoneRow(row, author));
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
