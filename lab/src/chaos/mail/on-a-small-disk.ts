import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mount, unmount } from "../mount.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { writeUntilFull } from "../write-until-full.ts";

// Room for the home, the logs and what SQLite keeps beside them; the ballast takes the rest.
const DISK_BYTES = 96 * 1_048_576;

/** A folder on a disk that can be filled for a moment; or one that cannot, and why. */
export type SmallDisk = { readonly folder: string } & (
  | { fill(): Promise<void> }
  | { /** Where the machine does not let us mount one. */ readonly skipped: string }
);

export function onASmallDisk<Result>(work: (disk: SmallDisk) => Promise<Result>): Promise<Result> {
  return inTemporaryFolder(async (folder) => {
    try {
      mount("-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", folder);
    } catch (error) {
      return await work({ folder, skipped: (error as Error).message.split("\n")[0]! });
    }
    try {
      return await work({ folder, fill: () => fillForAMoment(join(folder, "ballast")) });
    } finally {
      unmount(folder);
    }
  });
}

async function fillForAMoment(path: string): Promise<void> {
  await writeUntilFull(path);
  await sleep(30 + Math.random() * 120);
  await rm(path, { force: true });
}
