import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite";
import { sealEntries, sha256 } from "palimpsest/store-parts";
import { addLosses, audit, type Losses, noLosses } from "./ledger.ts";
import { mount, unmount } from "./mount.ts";
import { readLog, takeLog } from "./open-log.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";
import type { Acknowledged } from "./writer-process.ts";

export interface DiskFaults {
  readonly faults: number;
  readonly losses: Losses;
  /** Faults after which appending did not go on once the cause was gone. */
  readonly notRecovered: number;
  /** Why nothing was tried, where the machine does not let us mount a small disk. */
  readonly skipped?: string;
}

/**
 * Fills a small disk under a writer until its appends fail, and makes the disk read-only. Every failure must be an error
 * to the caller with nothing half written, and appending goes on when there is space again, or the disk can be written.
 */
export async function fillDisk(rounds: number): Promise<DiskFaults> {
  return inTemporaryFolder(async (folder): Promise<DiskFaults> => {
    try {
      mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", folder);
    } catch (error) {
      return { faults: 0, losses: noLosses(), notRecovered: 0, skipped: (error as Error).message.split("\n")[0]! };
    }
    let losses = noLosses();
    let notRecovered = 0;
    try {
      for (let round = 0; round < rounds; round++) {
        const session = `round-${round}`;
        const fault = round % 2 === 0 ? fullDisk : readOnlyDisk;
        const { told, after } = await fault(folder, session);
        if (after === "failed") notRecovered++;
        losses = addLosses(losses, audit(await readLog(folder, session), told));
        for (const suffix of ["", "-wal", "-shm"])
          await rm(join(folder, `${session}.sqlite${suffix}`), { force: true });
      }
    } finally {
      unmount(folder);
    }
    return { faults: rounds, losses, notRecovered };
  });
}

interface FaultResult {
  readonly told: readonly Acknowledged[];
  /** How an append went when the fault was over. */
  readonly after: "appended" | "failed";
}

async function fullDisk(folder: string, session: string): Promise<FaultResult> {
  const told: Acknowledged[] = [];
  const store = sqliteStore({ folder });
  const append = await appendTo(store, session, told);
  const ballast = join(folder, "ballast");
  await append(100);
  await writeFile(ballast, Buffer.alloc(2_000_000));
  for (let attempt = 0; attempt < 1_000; attempt++) if ((await append(20_000)) === "failed") break;
  await append(20_000);
  await rm(ballast);
  const after = await append(100);
  await store.close();
  return { told, after };
}

/** A disk cannot be made read-only while a file on it is open for writing, so the store is opened anew each time. */
async function readOnlyDisk(folder: string, session: string): Promise<FaultResult> {
  const told: Acknowledged[] = [];
  const tryToAppend = async (): Promise<"appended" | "failed"> => {
    const store = sqliteStore({ folder });
    try {
      return await (await appendTo(store, session, told))(100);
    } catch {
      return "failed";
    } finally {
      await store.close().catch(() => {});
    }
  };
  await tryToAppend();
  mount("-o", "remount,ro", folder);
  const meanwhile = await tryToAppend();
  mount("-o", "remount,rw", folder);
  if (meanwhile === "appended") throw new Error("an append to a read-only disk was acknowledged");
  return { told, after: await tryToAppend() };
}

/** Opens a writer; the function it gives back appends one entry of a size and notes it if it was acknowledged. */
async function appendTo(
  store: Store,
  session: string,
  told: Acknowledged[],
): Promise<(sizeBytes: number) => Promise<"appended" | "failed">> {
  const writer = await takeLog(store, session);
  return async (sizeBytes) => {
    try {
      const payload = JSON.stringify({ fence: writer.fence, text: "z".repeat(sizeBytes) });
      const head = await writer.head();
      const [entry] = sealEntries([{ kind: "message", version: 1, payload }], { head, atMs: 1, digest: sha256 });
      const result = await writer.append([entry!]);
      if (result.kind !== "appended") return "failed";
      told.push({ sequence: entry!.sequence, hash: entry!.hash, fence: writer.fence });
      return "appended";
    } catch {
      return "failed";
    }
  };
}
