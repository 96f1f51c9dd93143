// Stores for tests: they count reads, lose acknowledgements, or record syncs.

import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import type { LogWriter, Store } from "../store.ts";

/** Runs a function, and returns the inodes of all files and folders that were synced to the disk during the run. */
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

/** Returns a store whose writers have some functions replaced. */
function withWriters(store: Store, replace: (writer: LogWriter) => Partial<LogWriter>): Store {
  return {
    ...store,
    async openWriter(id, options) {
      const opened = await store.openWriter(id, options);
      if (opened.kind === "busy") return opened;
      return { kind: "opened", writer: { ...opened.writer, ...replace(opened.writer) } };
    },
  };
}

/** Returns a store that counts the entries that its writers read. */
export function countReads(store: Store): { readonly store: Store; read: number } {
  const counted = {
    read: 0,
    store: withWriters(store, (writer) => ({
      async read(from, to) {
        const entries = await writer.read(from, to);
        counted.read += entries.length;
        return entries;
      },
    })),
  };
  return counted;
}

/** Returns a store that appends entries but throws instead of acknowledging them, while `failing` is true. */
export function loseAcknowledgements(store: Store): { readonly store: Store; failing: boolean } {
  const fragile = {
    failing: false,
    store: withWriters(store, (writer) => ({
      async append(entries) {
        const result = await writer.append(entries);
        if (fragile.failing) throw new Error("the disk went away");
        return result;
      },
    })),
  };
  return fragile;
}
