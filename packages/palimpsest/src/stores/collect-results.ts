// Removes stored results that are too old, or too large together.

import { eachSession, readFork } from "./read.ts";
import type { Store } from "./store.ts";

/** Limits for stored results. */
export interface CollectOptions {
  /** The current time. @default now */
  readonly nowMs?: number;
  /** How long the results of a session are kept after its last use, or the last use of a fork. @default 30 days */
  readonly maxAgeMs?: number;
  /** The limit for all results together; beyond it, results of the least recently used sessions are removed. @default 10 GB */
  readonly maxBytes?: number;
  /** Stops the collection between two sessions. @default never */
  readonly signal?: AbortSignal;
}

interface CollectedResults {
  readonly removed: readonly { readonly session: string; readonly bytes: number; readonly why: "age" | "size" }[];
  readonly keptBytes: number;
  /** Results that could not be read or removed; they are kept until the next collection. */
  readonly failures: readonly { readonly session: string; readonly error: Error }[];
}

const DAY_MS = 86_400_000;

/**
 * Removes the stored results of sessions that were not used for a long time. A later recall reports that the result has expired.
 * Sessions that are open, or that have an open fork, keep their results. Logs never change. If the results are recent and small,
 * no log is opened. For sessions with their own `files`, call `collectResults({ ...store, results: files })`.
 */
export async function collectResults(store: Store, options: CollectOptions = {}): Promise<CollectedResults> {
  const { nowMs = Date.now(), maxAgeMs = 30 * DAY_MS, maxBytes = 10_000_000_000, signal } = options;
  const { results } = store;
  const failures: { session: string; error: Error }[] = [];
  const removed: CollectedResults["removed"][number][] = [];
  /** Runs work for one session, and returns whether to continue. A failure does not stop the collection. */
  const attempt = async (session: string, work: () => Promise<void>): Promise<"go-on" | "end"> => {
    await nextTurn();
    if (signal?.aborted) return "end";
    try {
      await work();
    } catch (error) {
      failures.push({ session, error: error instanceof Error ? error : new Error(String(error)) });
    }
    return "go-on";
  };

  const kept: Kept[] = [];
  for await (const session of results.sessions()) {
    const next = await attempt(session, async () => {
      const size = await results.measure(session);
      if (size !== undefined) kept.push({ session, bytes: size.bytes, usedAtMs: size.newestAtMs });
    });
    if (next === "end") break;
  }
  let keptBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  const isOld = ({ usedAtMs }: Kept): boolean => nowMs - usedAtMs > maxAgeMs;
  const suspects = keptBytes > maxBytes ? kept : kept.filter(isOld);
  if (suspects.length === 0 || signal?.aborted) return { removed, keptBytes, failures };

  const forks = await findForks(store, attempt);
  const used: Kept[] = [];
  for (const one of suspects) {
    const next = await attempt(one.session, async () => {
      const users = [one.session, ...(forks.get(one.session) ?? [])];
      const dates = await Promise.all(users.map((session) => lastUseMs(store, session)));
      used.push({ ...one, usedAtMs: Math.max(one.usedAtMs, ...dates) });
    });
    if (next === "end") break;
  }
  for (const one of used.toSorted((a, b) => a.usedAtMs - b.usedAtMs || (a.session < b.session ? -1 : 1))) {
    const { session, bytes } = one;
    const why = isOld(one) ? "age" : keptBytes > maxBytes ? "size" : undefined;
    if (why === undefined) continue;
    const next = await attempt(session, async () => {
      for (const user of [session, ...(forks.get(session) ?? [])]) if (await store.writerOf(user)) return;
      await results.remove(session);
      removed.push({ session, bytes, why });
      keptBytes -= bytes;
    });
    if (next === "end") break;
  }
  return { removed, keptBytes, failures };
}

interface Kept {
  readonly session: string;
  readonly bytes: number;
  readonly usedAtMs: number;
}

/** Finds the forks of each session. A fork shows its parent's entries, and so its results. */
async function findForks(
  store: Store,
  attempt: (session: string, work: () => Promise<void>) => Promise<"go-on" | "end">,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const forks = new Map<string, string[]>();
  for await (const { id: session } of eachSession(store)) {
    const next = await attempt(session, async () => {
      const parent = (await readFork(store, session))?.session;
      if (parent !== undefined) forks.set(parent, [...(forks.get(parent) ?? []), session]);
    });
    if (next === "end") break;
  }
  return forks;
}

/** Returns the time of a session's newest entry; 0 if the log is gone. */
async function lastUseMs(store: Store, session: string): Promise<number> {
  const reader = await store.openReader(session);
  try {
    const { sequence = 0 } = (await reader?.head()) ?? {};
    const [newest] = (await reader?.read(sequence, sequence)) ?? [];
    return newest?.atMs ?? 0;
  } finally {
    await reader?.close();
  }
}

/** Yields to other work of the process, because a store may answer without yielding. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
}
