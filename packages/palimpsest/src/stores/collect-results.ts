import { lstat, opendir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { toSafeName } from "./sqlite/session-file.ts";

export interface CollectOptions {
  /** Sessions whose results are wanted: nothing of them is touched. */
  readonly liveSessions: Iterable<string>;
  readonly nowMs: number;
  /** How long the results of a session are kept after it has stored its last one. @default 30 days */
  readonly maxAgeMs?: number;
  /** How much all results may take; beyond it, the sessions go that have stored nothing for the longest. @default 10 GB */
  readonly maxBytes?: number;
}

export interface CollectedResults {
  /** The folders that were removed, by the name they had in `tool-results`. */
  readonly removed: readonly { readonly name: string; readonly bytes: number; readonly why: "age" | "size" }[];
  readonly keptBytes: number;
  /** What could not be read or removed; it is tried again the next time. */
  readonly failures: readonly { readonly name: string; readonly error: Error }[];
}

interface SessionFolder {
  readonly name: string;
  readonly bytes: number;
  readonly newestMs: number;
}

/** Removes the stored results of sessions that are over. A recall of one of them answers that it has expired. */
export async function collectResults(folder: string, options: CollectOptions): Promise<CollectedResults> {
  const { liveSessions, nowMs, maxAgeMs = 30 * 86_400_000, maxBytes = 10_000_000_000 } = options;
  const root = join(resolve(folder), "tool-results");
  const live = new Set([...liveSessions].map(toSafeName));
  const failures: { name: string; error: Error }[] = [];
  const removed: CollectedResults["removed"][number][] = [];
  const found = await measure(root, failures);
  let keptBytes = found.reduce((sum, { bytes }) => sum + bytes, 0);
  const oldestFirst = found.toSorted((one, other) => one.newestMs - other.newestMs || (one.name < other.name ? -1 : 1));
  for (const { name, bytes, newestMs } of oldestFirst) {
    if (live.has(name)) continue;
    const why = nowMs - newestMs > maxAgeMs ? "age" : keptBytes > maxBytes ? "size" : undefined;
    if (why === undefined) continue;
    try {
      await rm(join(root, name), { recursive: true });
      removed.push({ name, bytes, why });
      keptBytes -= bytes;
    } catch (error) {
      failures.push({ name, error: error as Error });
    }
  }
  return { removed, keptBytes, failures };
}

async function measure(root: string, failures: { name: string; error: Error }[]): Promise<SessionFolder[]> {
  const found: SessionFolder[] = [];
  for await (const name of foldersIn(root)) {
    try {
      const { mtimeMs } = await lstat(join(root, name));
      let session: SessionFolder = { name, bytes: 0, newestMs: mtimeMs };
      for await (const file of await opendir(join(root, name))) {
        const stat = await lstat(join(root, name, file.name));
        session = { name, bytes: session.bytes + stat.size, newestMs: Math.max(session.newestMs, stat.mtimeMs) };
      }
      found.push(session);
    } catch (error) {
      failures.push({ name, error: error as Error });
    }
  }
  return found;
}

/** Real folders only: a link that someone has put there leads to what is not ours to remove. */
async function* foldersIn(root: string): AsyncGenerator<string> {
  const stat = await lstat(root).catch(() => undefined);
  if (!stat?.isDirectory()) return;
  for await (const entry of await opendir(root)) if (entry.isDirectory()) yield entry.name;
}
