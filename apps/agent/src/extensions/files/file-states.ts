import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { ResultContent } from "palimpsest/core";
import { type FileFacts, MAX_BYTES } from "../../workspace/load-file.ts";
import { UnsafeFileError } from "../../workspace/open-inside.ts";
import type { GuardedPath, PathGuard } from "../../workspace/path-guard.ts";
import type { OpenStoredResult } from "./stored-results.ts";

/** Lines that were shown, counted from 1; `whole` if that was all of the file. */
export type ShownRange = "whole" | { readonly from: number; readonly to: number };

/** What the model has been told of a file. */
export interface FileState extends FileFacts {
  readonly knownBy: "read" | "write";
  /** For a file that was read: which lines. */
  readonly range: ShownRange;
  /** The result with its content has a higher entry number. Infinity: it cannot be told which one it is. */
  readonly readAfterEntry: number;
  /** A later read was answered with "unchanged"; its result has a higher number than this. */
  readonly unchangedAfterEntry?: number;
}

/** States by real path. One for each session; a new process begins empty, and so asks for fresh reads. */
export type FileStates = Map<string, FileState>;

/** Session.filesRead(): files whose newest read is in view, by the path that the call named, with the result's entry. */
export type ShownReads = () => ReadonlyMap<string, number>;

/** What the tools that read and write files share. */
export interface FilePorts {
  readonly guard: PathGuard;
  readonly states: FileStates;
  readonly shownReads: ShownReads;
}

/** What a read of a stored result needs. */
export interface ReadPorts extends FilePorts {
  /** @default no stored results are opened */
  readonly openResult?: OpenStoredResult;
}

/** A stored result as a whole. */
export async function loadResult({ bytes: size, chunks }: ResultContent, path: string): Promise<Buffer> {
  if (size > MAX_BYTES) {
    throw new UnsafeFileError(
      `${path} has ${size} bytes, more than the ${MAX_BYTES} that can be read at once. Read or search it with recall.`,
    );
  }
  return Buffer.concat(await Array.fromAsync(chunks()));
}

/** The entry of the read that is in view for a real path, whatever the call named it. */
export async function shownEntry(
  path: string,
  { guard, shownReads }: Pick<FilePorts, "guard" | "shownReads">,
): Promise<number | undefined> {
  for (const [named, entry] of shownReads()) {
    const full = resolve(guard.roots[0]!, named);
    if (full === path || (await realpath(full).catch(() => undefined)) === path) return entry;
  }
  return undefined;
}

/** Why a tool cannot work with a path, in words for the model. */
export function refusalOf(located: Exclude<GuardedPath, { kind: "inside" }>, roots: readonly string[]): string {
  if (located.kind === "invalid") return located.reason;
  if (located.kind === "stored-result") return `${located.path} is a stored result: it can be read, not changed.`;
  return `${located.path} lies outside of ${roots.join(", ")}. Files there cannot be read or changed unless the user adds the folder.`;
}
