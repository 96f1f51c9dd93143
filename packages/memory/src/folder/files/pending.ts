import { randomUUID } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import type { AuthoredChange, ChangeSet } from "../../change-set.ts";
import type { OpenFolders } from "./open-folders.ts";
import { readOwnFile } from "./own-file.ts";
import { writeSynced } from "./place-file.ts";

/** A set that was recorded before the first file was touched, so that it survives its process. */
export interface PendingSet extends ChangeSet {
  readonly id: string;
}

const FOLDER = ".palimpsest";
const NAME = /^pending-[0-9a-f-]{36}\.json$/;

export async function writePending(folders: OpenFolders, set: ChangeSet): Promise<PendingSet> {
  const id = randomUUID();
  const changes = set.changes.map(({ after, ...change }) => ({ ...change, after: toBase64(after) }));
  const beside = folders.locateNew(`${FOLDER}/new/${id}`);
  await writeSynced(beside, Buffer.from(JSON.stringify({ ...set, id, changes })));
  // Its name reaches the disk before those of the following files, so the folder need not be synced: file systems with a
  // journal keep the order of names.
  renameSync(beside, folders.locateNew(`${FOLDER}/${nameOf(id)}`));
  return { ...set, id };
}

export function removePending(folders: OpenFolders, id: string): void {
  rmSync(folders.locateNew(`${FOLDER}/${nameOf(id)}`), { force: true });
}

/** Sets that were not completed, or whose completion was not recorded. */
export function readPending(folders: OpenFolders): PendingSet[] {
  return folders.list(FOLDER).flatMap((name) => {
    const found = NAME.test(name) ? readOwnFile(folders.locate(`${FOLDER}/${name}`)) : "absent";
    if (typeof found !== "object" || !("bytes" in found)) return [];
    const { changes, ...set }: WrittenSet = JSON.parse(found.bytes.toString());
    return [{ ...set, changes: changes.map(({ after, ...change }) => ({ ...change, after: fromBase64(after) })) }];
  });
}

type WrittenSet = Omit<PendingSet, "changes"> & {
  readonly changes: readonly (Omit<AuthoredChange, "after"> & { readonly after: string | null })[];
};

function nameOf(id: string): string {
  return `pending-${id}.json`;
}

function toBase64(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : Buffer.from(bytes).toString("base64");
}

function fromBase64(text: string | null): Uint8Array | undefined {
  return text === null ? undefined : Buffer.from(text, "base64");
}
