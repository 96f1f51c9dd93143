import { hashOf, type LoadedFile } from "../../workspace/load-file.ts";
import { writeInside } from "../../workspace/open-inside.ts";
import type { KeepBefore } from "../checkpoints/checkpoints.ts";
import type { FilePorts } from "./file-states.ts";

export interface ChangePorts extends FilePorts {
  /** Keeps what stood there before, so that it can be taken back. */
  readonly keepBefore: KeepBefore;
}

export interface FileChange {
  readonly path: string;
  readonly root: string;
  readonly before: LoadedFile | undefined;
  readonly content: string;
  readonly newestEntry: number;
}

/** Changes a file, after what stood there is safe. What was written is known to the model, and so the file is fresh. */
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
