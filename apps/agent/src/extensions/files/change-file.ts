import type { Person } from "../../extension/person.ts";
import { hashOf, type LoadedFile } from "../../workspace/load-file.ts";
import { writeInside } from "../../workspace/open-inside.ts";
import type { KeepBefore } from "../checkpoints/checkpoints.ts";
import type { FilePorts } from "./file-states.ts";

export interface ChangePorts extends FilePorts {
  /** Saves the file before the change, so that the change can be undone. */
  readonly keepBefore: KeepBefore;
  /** The text of a file in the person's editor. @default there is no editor */
  readonly editorText?: Person["editorText"];
}

export interface FileChange {
  readonly path: string;
  readonly root: string;
  readonly before: LoadedFile | undefined;
  readonly content: string;
  readonly newestEntry: number;
}

/** Changes a file after saving its old content. The model knows the new content, so the file counts as fresh. */
export async function changeFile(
  { path, root, before, content, newestEntry }: FileChange,
  { keepBefore, states }: ChangePorts,
): Promise<void> {
  const bytes = Buffer.from(content.toWellFormed());
  await keepBefore({ path, entry: newestEntry, before: before?.bytes, after: bytes });
  await writeInside({ path, root, content: bytes });
  const facts = { mtimeMs: Date.now(), sizeBytes: bytes.length, hash: hashOf(bytes) };
  states.set(path, { ...facts, knownBy: "write", range: "whole", readAfterEntry: Number.POSITIVE_INFINITY });
}
