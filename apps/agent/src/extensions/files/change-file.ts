// Changes a file safely: only if the model knows it, and after saving its old content.
import type { Person } from "../../extension/person.ts";
import { type FileFacts, hashOf, type LoadedFile, writeInside } from "../../workspace/open-inside.ts";
import type { KeepBefore } from "../checkpoints/checkpoints.ts";
import type { FilePorts, FileState } from "./file-states.ts";

export interface ChangePorts extends FilePorts {
  /** Saves the file before a change, so that the change can be undone. */
  readonly keepBefore: KeepBefore;
  /** The text of a file in the person's editor. @default no editor */
  readonly editorText?: Person["editorText"];
}

interface FileChange {
  readonly path: string;
  readonly root: string;
  readonly before: LoadedFile | undefined;
  readonly content: string;
  readonly newestEntry: number;
}

/** Changes a file after saving its old content. The model knows the new content, so the file counts as read. */
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

interface FreshnessQuestion {
  readonly path: string;
  /** The model's last known state of the file. Undefined if the model does not know the file. */
  readonly known: FileState | undefined;
  /** The file's current state. */
  readonly now: FileFacts;
  /** `part`: the change names the text to replace. `whole`: it replaces the whole file. */
  readonly change: "part" | "whole";
  /** Whether the model still sees the content that it read. */
  readonly view: "shown" | "gone";
}

/** Explains why the model must read a file before it changes the file. Undefined if it may change the file now. */
export function checkFresh({ path, known, now, change, view }: FreshnessQuestion): string | undefined {
  if (known === undefined) return `${path} has not been read in this session. Read it first, then change it.`;
  // Compares hashes, because time and size miss a change within one clock tick.
  if (known.hash !== now.hash) {
    return (
      `${path} has changed since it was last ${known.knownBy === "read" ? "read" : "written"} ` +
      `(${known.sizeBytes} bytes then, ${now.sizeBytes} now). Someone else has edited it: read it again.`
    );
  }
  if (change === "part" || known.knownBy === "write") return undefined;
  if (known.range !== "whole") {
    return `Only lines ${known.range.from} to ${known.range.to} of ${path} were read. Read all of it before you replace it, or use Edit.`;
  }
  return view === "gone"
    ? `What was read of ${path} is no longer in view. Read it again before you replace it, or use Edit.`
    : undefined;
}

/**
 * Explains why a file cannot be changed: the person's editor has unsaved changes in it, which would be lost or would
 * overwrite the file. Undefined if the file can be changed.
 */
export async function checkSaved(
  path: string,
  before: LoadedFile | undefined,
  editorText: Person["editorText"],
): Promise<string | undefined> {
  const text = before === undefined ? undefined : await editorText?.(path);
  if (before === undefined || text === undefined || sameText(text, before.bytes.toString("utf8"))) return undefined;
  return `${path} has changes in the user's editor that are not saved. Nothing was written. Ask the user to save or discard them, then read the file again.`;
}

/** Compares texts without line ends and the byte order mark, which editors keep separately. */
function sameText(one: string, other: string): boolean {
  return plainText(one) === plainText(other);
}

function plainText(text: string): string {
  return text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
}
