import type { FileRow } from "./file-row.ts";
import type { FileContent, MemoryFile } from "./memory-files.ts";
import type { Topic } from "./topic.ts";
import { readTopicText } from "./topic-text.ts";

/** A topic from its file. */
export function toTopic(slug: string, { bytes, version, author, updatedAtMs }: MemoryFile): Topic {
  const text = bytes.toString();
  return { ...readTopicText(text, slug), slug, version, text, author, updatedAtMs };
}

/** A file with what only its row knows of it. One that is not as it was last known was edited by hand since. */
export function toMemoryFile(
  { bytes, version }: FileContent,
  row: FileRow | undefined,
  modifiedAtMs: number,
): MemoryFile {
  const isKnown = row?.version === version;
  return {
    bytes,
    version,
    author: isKnown ? row.author : "user",
    updatedAtMs: isKnown ? row.updatedAtMs : modifiedAtMs,
  };
}
