import { randomUUID } from "node:crypto";
import { linkSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type FileChange, versionOf } from "../../change-set.ts";
import type { OpenFolders } from "./open-folders.ts";
import { type OwnFile, readOwnFile, seeOwnFile } from "./own-file.ts";

const NEW = ".palimpsest/new";
const ASIDE = ".palimpsest/aside";

/**
 * Replaces a whole file, if its content is still the version that was read. Nothing is overwritten: the old file is
 * first moved aside and then checked, so that an edit of the last microsecond is found and moved back. The new file is
 * then linked to the free name, which fails if another file has just taken it. An editor that still has the old file
 * open writes into the moved one; `findLateEdits` finds such edits. The bytes are on the disk when this returns; the
 * name is when the folder is synced.
 */
export async function placeFile(folders: OpenFolders, change: FileChange): Promise<"placed" | "stale"> {
  const { path, before, after } = change;
  const target = folders.locateNew(path);
  const prepared = after === undefined ? undefined : await writeNew(folders, after);
  try {
    if (before !== "none" && moveAside(folders, path, before) === "stale") return "stale";
    if (prepared !== undefined && !linkTo(prepared, target)) return "stale";
    if (prepared === undefined && before === "none" && readOwnFile(target) !== "absent") return "stale";
  } finally {
    if (prepared !== undefined) rmSync(prepared, { force: true });
  }
  return "placed";
}

function moveAside(folders: OpenFolders, path: string, before: string): "moved" | "stale" {
  const target = folders.locateNew(path);
  const aside = folders.locateNew(`${ASIDE}/${asideName(path, before)}`);
  try {
    renameSync(target, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "stale";
    throw error;
  }
  const found = readOwnFile(aside);
  if (typeof found === "object" && "version" in found && found.version === before) return "moved";
  // Another program's bytes: move them back, unless something newer is already there.
  if (linkTo(aside, target)) rmSync(aside);
  return "stale";
}

/** A file that was moved aside and then written to by an editor that had it open. */
export interface LateEdit {
  readonly path: string;
  readonly file: OwnFile;
}

/** The maximum time an editor takes from opening a file to its last byte. */
const LATE_MS = 2_000;
/** File times come from a clock that ticks every 1 to 10 ms. */
const TICK_MS = 20;

/**
 * Returns writes to files after they were moved aside. Old files are checked one last time, then removed.
 *
 * @param nowMs of the system's clock, which file times come from
 */
export function findLateEdits(folders: OpenFolders, nowMs: number): LateEdit[] {
  const late: LateEdit[] = [];
  for (const name of folders.list(ASIDE)) {
    const aside = folders.locateNew(`${ASIDE}/${name}`);
    const meant = readAsideName(name);
    const found = meant === undefined ? "absent" : readIfWritten(aside, meant.movedAtMs);
    // Truncated, and not yet written.
    const isWritten = typeof found === "object" && found.version !== meant?.version && found.bytes.length > 0;
    if (meant !== undefined && isWritten) {
      late.push({ path: meant.path, file: found });
      // The editor may write again: this edit must not be reported a second time.
      renameSync(aside, folders.locateNew(`${ASIDE}/${asideName(meant.path, found.version, meant.movedAtMs)}`));
    } else if (meant === undefined || found === "absent" || Math.abs(nowMs - meant.movedAtMs) > LATE_MS) {
      rmSync(aside, { force: true, recursive: true });
    }
  }
  return late;
}

/** Whether a file of this version was moved aside recently. */
export function hasAside(folders: OpenFolders, path: string, version: string): boolean {
  return folders.list(ASIDE).some((name) => {
    const meant = readAsideName(name);
    return meant?.path === path && meant.version === version;
  });
}

function readIfWritten(path: string, movedAtMs: number): OwnFile | "absent" | "untouched" {
  const seen = seeOwnFile(path);
  if (typeof seen === "object" && "text" in seen && seen.modifiedAtMs < movedAtMs - TICK_MS) return "untouched";
  const found = readOwnFile(path);
  return typeof found === "object" && "bytes" in found ? found : "absent";
}

/** Removes files that a dead process had prepared and not placed. */
export function removePrepared(folders: OpenFolders): void {
  for (const name of folders.list(NEW)) rmSync(folders.locateNew(`${NEW}/${name}`), { force: true, recursive: true });
}

function asideName(path: string, version: string, movedAtMs = Date.now()): string {
  return [movedAtMs, version, path.replaceAll("/", "+"), randomUUID()].join("~");
}

function readAsideName(name: string): { path: string; version: string; movedAtMs: number } | undefined {
  const [movedAt, version, path] = name.split("~");
  if (version === undefined || path === undefined || !Number.isFinite(Number(movedAt))) return undefined;
  return { path: path.replaceAll("+", "/"), version, movedAtMs: Number(movedAt) };
}

async function writeNew(folders: OpenFolders, bytes: Uint8Array): Promise<string> {
  const path = folders.locateNew(`${NEW}/${versionOf(bytes).slice(0, 8)}-${randomUUID()}`);
  await writeSynced(path, bytes);
  return path;
}

/** Writes a new file that only this user can read. It is on the disk when this returns. */
export async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    // The umask restricts the mode of open.
    await file.chmod(0o600);
    await writeAll(file, bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  // A disk that fills up may accept a part without an error.
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

function linkTo(existing: string, name: string): boolean {
  try {
    linkSync(existing, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
