import type { Person } from "../../extension/person.ts";
import { type FileFacts, hashOf, type LoadedFile, writeInside } from "../../workspace/open-inside.ts";
import type { KeepBefore } from "../checkpoints/checkpoints.ts";
import type { FilePorts, FileState } from "./file-states.ts";

export interface ChangePorts extends FilePorts {
  /** Saves the file before the change, so that the change can be undone. */
  readonly keepBefore: KeepBefore;
  /** The text of a file in the person's editor. @default there is no editor */
  readonly editorText?: Person["editorText"];
}

interface FileChange {
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

interface FreshnessQuestion {
  readonly path: string;
  /** The model's last knowledge of the file; undefined if it has none. */
  readonly known: FileState | undefined;
  /** The current file. */
  readonly now: FileFacts;
  /** `part`: the change names the text that it replaces. `whole`: it replaces the whole file. */
  readonly change: "part" | "whole";
  /** Whether the model still sees the content that it read. */
  readonly view: "shown" | "gone";
}

/** Why the model may not change a file with its present knowledge; undefined if it may. */
export function checkFresh({ path, known, now, change, view }: FreshnessQuestion): string | undefined {
  if (known === undefined) return `${path} has not been read in this session. Read it first, then change it.`;
  // By the hash: time and size miss a change within one clock tick.
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
 * Why a file may not be changed: the person's editor has changes in it that are not saved, and one of both would be lost.
 * Undefined if it may be changed.
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

/** Editors keep line ends and the byte order mark apart from the text. */
function sameText(one: string, other: string): boolean {
  return plainText(one) === plainText(other);
}

function plainText(text: string): string {
  return text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
}
