import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqliteStore } from "palimpsest/sqlite";
import { type Draft, EMPTY_LOG, sealEntries, sha256 } from "palimpsest/store-parts";
import { readLog, takeLog } from "./open-log.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

const TAIL_BYTES = 65_536;

/**
 * Cuts the write-ahead log at every byte of its last 64 KB, as a loss of power might, and opens what is left. Whatever
 * the cut, the log must be a beginning of what was written: no gap, no changed entry, no error.
 */
export async function cutWriteAheadLog(everyBytes: number): Promise<{ cuts: number; entriesChanged: number }> {
  return inTemporaryFolder(async (folder) => {
    const store = sqliteStore({ folder });
    const writer = await takeLog(store, "cut");
    let head = EMPTY_LOG;
    for (let index = 0; index < 60; index++) {
      const payload = JSON.stringify({ fence: 1, text: "y".repeat((index * 397) % 3_000) });
      const drafts: Draft[] = [{ kind: "message", version: 1, payload }];
      const result = await writer.append(sealEntries(drafts, { head, atMs: index, digest: sha256 }));
      if (result.kind !== "appended") throw new Error(`an append was refused: ${result.kind}`);
      head = result.head;
    }
    const written = await writer.read(1, head.sequence);
    // Copied while the writer is open: closing would fold the write-ahead log into the database.
    const [database = "", log = ""] = await Promise.all(
      ["", "-wal"].map(async (suffix) => {
        const copy = join(folder, `copy${suffix}`);
        await copyFile(join(folder, `cut.sqlite${suffix}`), copy);
        return copy;
      }),
    );
    await store.close();

    const bytes = await readFile(log);
    let cuts = 0;
    let entriesChanged = 0;
    for (let length = bytes.length; length >= Math.max(0, bytes.length - TAIL_BYTES); length -= everyBytes) {
      await copyFile(database, join(folder, "after.sqlite"));
      await writeFile(join(folder, "after.sqlite-wal"), bytes.subarray(0, length));
      const entries = await readLog(folder, "after");
      if (
        entries.some((entry, index) => entry.hash !== written[index]?.hash || entry.payload !== written[index]?.payload)
      )
        entriesChanged++;
      cuts++;
    }
    return { cuts, entriesChanged };
  });
}
