import { readFork } from "./find-forks.ts";
import { eachSession } from "./list-sessions.ts";
import type { Store } from "./store.ts";

export interface CollectOptions {
  /** @default now */
  readonly nowMs?: number;
  /** How long the results of a session are kept after it, or a fork of it, was last used. @default 30 days */
  readonly maxAgeMs?: number;
  /** How much all results may take; beyond it, those of the sessions go that were used longest ago. @default 10 GB */
  readonly maxBytes?: number;
  /** Ends it between two sessions. @default it runs to its end */
  readonly signal?: AbortSignal;
}

export interface CollectedResults {
  readonly removed: readonly { readonly session: string; readonly bytes: number; readonly why: "age" | "size" }[];
  readonly keptBytes: number;
  /** What could not be looked at or removed; it is kept, and tried again the next time. */
  readonly failures: readonly { readonly session: string; readonly error: Error }[];
}

interface Kept {
  readonly session: string;
  readonly bytes: number;
  readonly usedAtMs: number;
}

const DAY_MS = 86_400_000;

/**
 * Removes the stored results of sessions that nobody has used for long; a recall of one of them answers that it has expired.
 * Never those of a session that is open anywhere, or has an open fork. Logs are not touched. Where all results are young and
 * few, no log is opened. Where sessions were given `files` of their own: `collectResults({ ...store, results: files })`.
 */
export async function collectResults(store: Store, options: CollectOptions = {}): Promise<CollectedResults> {
  const { nowMs = Date.now(), maxAgeMs = 30 * DAY_MS, maxBytes = 10_000_000_000, signal } = options;
  const { results } = store;
  const failures: { session: string; error: Error }[] = [];
  const removed: CollectedResults["removed"][number][] = [];
  /** Whether it may go on; what fails of one session does not keep the others. */
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

/** The forks of each session that has some: they show its entries, and so its results. */
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

/** When a session has written its newest entry; long ago if it has no log any more. */
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

/** A store may answer without ever letting anything else run: this is work beside other work. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
}
