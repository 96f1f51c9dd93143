import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { ResultContent } from "palimpsest/store-parts";
import { type FileFacts, MAX_BYTES, UnsafeFileError } from "../../workspace/open-inside.ts";
import type { GuardedPath, PathGuard } from "../../workspace/path-guard.ts";
import type { OpenStoredResult } from "./stored-results.ts";

/** The lines that were shown, counted from 1, or `whole` for the whole file. */
export type ShownRange = "whole" | { readonly from: number; readonly to: number };

/** The last state of a file that the model knows. */
export interface FileState extends FileFacts {
  readonly knownBy: "read" | "write";
  /** The lines that were read. */
  readonly range: ShownRange;
  /** An entry before the result with the content. Infinity: the entry is unknown. */
  readonly readAfterEntry: number;
  /** An entry before the result of a later read that answered "unchanged". */
  readonly unchangedAfterEntry?: number;
}

/**
 * The known states by real path, one map per session. A new process starts empty, so the model must read files again.
 */
export type FileStates = Map<string, FileState>;

/**
 * The type of `Session.filesRead()`: files whose newest read is in view, by the path in the call, with the result's
 * entry.
 */
type ShownReads = () => ReadonlyMap<string, number>;

/** The ports that all file tools share. */
export interface FilePorts {
  readonly guard: PathGuard;
  readonly states: FileStates;
  readonly shownReads: ShownReads;
}

/** The ports for reading stored results. */
export interface ReadPorts extends FilePorts {
  /** Opens stored results. @default none */
  readonly openResult?: OpenStoredResult;
}

/** Reads a whole stored result. */
export async function loadResult({ bytes: size, chunks }: ResultContent, path: string): Promise<Buffer> {
  if (size > MAX_BYTES) {
    throw new UnsafeFileError(
      `${path} has ${size} bytes, more than the ${MAX_BYTES} that can be read at once. Read or search it with recall.`,
    );
  }
  return Buffer.concat(await Array.fromAsync(chunks()));
}

/** Finds the entry of the read in view for a real path, whatever path the call used. */
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

/** Explains to the model why a tool cannot use a path. */
export function refusalOf(located: Exclude<GuardedPath, { kind: "inside" }>, roots: readonly string[]): string {
  if (located.kind === "invalid") return located.reason;
  if (located.kind === "stored-result") return `${located.path} is a stored result: it can be read, not changed.`;
  return `${located.path} lies outside of ${roots.join(", ")}. Files there cannot be read or changed unless the user adds the folder.`;
}
