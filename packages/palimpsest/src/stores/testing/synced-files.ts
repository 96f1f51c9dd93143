import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";

/** Runs, and resolves to the inodes of all files and folders that were synced to the disk meanwhile, by whatever call. */
export async function syncedFiles(run: () => unknown): Promise<ReadonlySet<number>> {
  const synced = new Set<number>();
  const handle = await open(tmpdir(), "r");
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  const { fsyncSync } = fs;
  prototype.sync = async function (this: FileHandle) {
    synced.add((await this.stat()).ino);
    return sync.call(this);
  };
  fs.fsyncSync = (file) => {
    synced.add(fs.fstatSync(file).ino);
    fsyncSync(file);
  };
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    prototype.sync = sync;
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  }
  return synced;
}
