import type { OpenFolders } from "./files/open-folders.ts";
import { readOwnFile } from "./files/own-file.ts";
import type { FileRow } from "./index-database.ts";
import { pathOf } from "./paths.ts";
import type { Topic } from "./topic.ts";
import { readTopicText } from "./topic-text.ts";

/** A topic from its file, with what only the rows know of it. Undefined if there is none. */
export function toTopic(folders: OpenFolders, slug: string, rows: ReadonlyMap<string, FileRow>): Topic | undefined {
  const path = pathOf("topic", slug);
  const file = readOwnFile(folders.locate(path));
  if (typeof file !== "object" || !("bytes" in file)) return undefined;
  return topicOf(slug, file.bytes, file.version, rows.get(path), file.state.modifiedAtMs);
}

export function topicOf(
  slug: string,
  bytes: Buffer,
  version: string,
  row: FileRow | undefined,
  modifiedAtMs: number,
): Topic {
  const text = bytes.toString();
  const content = readTopicText(text, slug);
  // What is not as it was last known was edited by hand since.
  const isKnown = row?.version === version;
  return {
    ...content,
    slug,
    version,
    text,
    author: isKnown ? row.author : "user",
    updatedAtMs: isKnown ? row.updatedAtMs : modifiedAtMs,
  };
}
