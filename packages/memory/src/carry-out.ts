import { commitDesk, type Desk, noteFile, noteGone, place, readFile, writeIndex } from "./desk.ts";
import { type OwnFile, versionOf } from "./files/own-file.ts";
import {
  type AuthoredChange,
  type ChangeSet,
  type PendingSet,
  readPending,
  removePending,
  writePending,
} from "./files/pending.ts";
import { hasAside } from "./files/place-file.ts";

export type CarriedOut =
  | { readonly kind: "done"; readonly commit: string }
  /** This file was changed by hand in the last moment. Nothing was done. */
  | { readonly kind: "stale"; readonly path: string };

/**
 * Puts all files of a set in their places, or none. The set is written down first: where the process ends on the way, the
 * next writer finds it and carries it through (`carryThrough`).
 */
export async function carryOut(desk: Desk, set: ChangeSet): Promise<CarriedOut> {
  const pending = await writePending(desk.folders, set);
  const placed: { change: AuthoredChange; before: OwnFile | undefined }[] = [];
  for (const change of set.changes) {
    const before = readFile(desk, change.path);
    if ((await place(desk, change)) === "stale") {
      for (const done of placed.toReversed()) await takeBack(desk, done.change, done.before);
      removePending(desk.folders, pending.id);
      return { kind: "stale", path: change.path };
    }
    placed.push({ change, before });
  }
  for (const change of set.changes) noteChange(desk, change);
  return { kind: "done", commit: await conclude(desk, pending) };
}

/** Carries through what a process that died had written down. A file that was edited by hand meanwhile stays as it is. */
export async function carryThrough(desk: Desk): Promise<void> {
  for (const pending of readPending(desk.folders)) {
    // Its end was reached, and only the note of it was left behind.
    if (desk.index.noted("set") === pending.id) {
      desk.settled.push(pending.id);
      continue;
    }
    for (const change of pending.changes) {
      const now = readFile(desk, change.path)?.version ?? "none";
      const wanted = wantedVersion(change);
      // It may have died just after it had moved the old file aside.
      const isBetween = now === "none" && hasAside(desk.folders, change.path, change.before);
      if (now !== wanted && (now === change.before || isBetween)) {
        await place(desk, { ...change, before: now });
      }
      if ((readFile(desk, change.path)?.version ?? "none") === wanted) noteChange(desk, change);
    }
    await conclude(desk, pending);
  }
}

async function conclude(desk: Desk, { id, by, message }: PendingSet): Promise<string> {
  await writeIndex(desk);
  const commit = await commitDesk(desk, by, message);
  desk.index.note("set", id);
  desk.settled.push(id);
  return commit;
}

/** History gets what was written, also where a hand edit has followed already: that is found as one later. */
function noteChange(desk: Desk, change: AuthoredChange): void {
  const { path, author, after } = change;
  if (after === undefined) {
    noteGone(desk, path, author);
    return;
  }
  const now = readFile(desk, path);
  const version = versionOf(after);
  const state = now?.version === version ? now.state : { text: "edited", changedAtMs: 0, modifiedAtMs: desk.nowMs };
  noteFile(desk, path, { bytes: Buffer.from(after), version, state }, { author, written: "by-us" });
}

async function takeBack(desk: Desk, change: AuthoredChange, before: OwnFile | undefined): Promise<void> {
  // Where that is stale, someone has just edited it by hand, and it stays.
  await place(desk, { path: change.path, before: wantedVersion(change), after: before?.bytes });
}

function wantedVersion({ after }: AuthoredChange): string {
  return after === undefined ? "none" : versionOf(after);
}
