import { type Session, SessionLostError, type Store } from "palimpsest";
import type { OpenSessionCounts } from "palimpsest/telemetry";
import { newestEntryOf } from "./newest-entry-of.ts";
import type { SessionTarget } from "./scheduler.ts";

export interface OpenSessionsOptions {
  /** Opens a session for writing, and takes it over from whoever has it. */
  open(target: SessionTarget): Promise<Session>;
  store(tenant: string): Pick<Store, "openReader">;
  /** How many sessions that nobody uses stay open. */
  readonly keepOpen: number;
}

/**
 * Sessions that stay open between runs, which saves reading their logs. The cache may be wrong: its sessions are compared with their logs
 * before they are used. No two runs share a session, also not in one process, because a run that was lost may not know it yet: whoever comes
 * later opens the session anew, and the log refuses what the earlier one writes.
 */
export interface OpenSessions {
  /** Lends a session for one piece of work. If `left` is aborted, the session is closed at once. */
  use<T>(target: SessionTarget, left: AbortSignal, work: (session: Session) => Promise<T>): Promise<T>;
  /** Whether the log has nothing that the session does not know. A session that has nothing to write would not notice. */
  isCurrent(target: SessionTarget, session: Session): Promise<boolean>;
  count(): OpenSessionCounts;
  /** Closes a session that nobody uses, if it is kept here. */
  drop(target: SessionTarget): Promise<void>;
  close(): Promise<void>;
}

export function createOpenSessions({ open, store, keepOpen }: OpenSessionsOptions): OpenSessions {
  const idle = new Map<string, Session>();
  const inUse = new Map<string, Session>();
  const nameOf = ({ tenant, session }: SessionTarget): string => JSON.stringify([tenant, session]);

  async function isCurrent({ tenant, session: id }: SessionTarget, { history }: Session): Promise<boolean> {
    const newest = await newestEntryOf(store(tenant), id);
    // The session itself may write beside this.
    return newest !== undefined && newest <= history.newestEntry;
  }

  async function takeIdle(target: SessionTarget): Promise<Session | undefined> {
    const name = nameOf(target);
    const kept = idle.get(name);
    idle.delete(name);
    if (kept === undefined || (await isCurrent(target, kept))) return kept;
    await closeQuietly(kept);
    return undefined;
  }

  async function lend<T>(
    target: SessionTarget,
    session: Session,
    left: AbortSignal,
    work: (session: Session) => Promise<T>,
  ) {
    const name = nameOf(target);
    const earlier = inUse.get(name);
    inUse.set(name, session);
    if (earlier !== undefined) void closeQuietly(earlier);
    const leave = (): void => void closeQuietly(session);
    left.addEventListener("abort", leave, { once: true });
    let outcome: "keep" | "close" = "close";
    try {
      left.throwIfAborted();
      const result = await work(session);
      if (inUse.get(name) === session && !session.signal.aborted) outcome = "keep";
      return result;
    } finally {
      left.removeEventListener("abort", leave);
      if (inUse.get(name) === session) inUse.delete(name);
      if (outcome === "keep") keep(name, session);
      else await closeQuietly(session);
    }
  }

  function keep(name: string, session: Session): void {
    idle.set(name, session);
    for (const [oldest, one] of idle) {
      if (idle.size <= keepOpen) return;
      idle.delete(oldest);
      void closeQuietly(one);
    }
  }

  return {
    isCurrent,
    count: () => ({ idle: idle.size, running: inUse.size }),
    async use(target, left, work) {
      const kept = await takeIdle(target);
      try {
        return await lend(target, kept ?? (await open(target)), left, work);
      } catch (error) {
        // Somebody has opened the session since it was kept here, and had written nothing when it was compared.
        if (kept === undefined || left.aborted || !SessionLostError.isInstance(error)) throw error;
        return lend(target, await open(target), left, work);
      }
    },
    async drop(target) {
      const name = nameOf(target);
      const kept = idle.get(name);
      idle.delete(name);
      if (kept !== undefined) await closeQuietly(kept);
    },
    async close() {
      const all = [...idle.values(), ...inUse.values()];
      idle.clear();
      await Promise.all(all.map(closeQuietly));
    },
  };
}

/** What a session could not write when it was closed is not in the log: the next run does it. */
async function closeQuietly(session: Session): Promise<void> {
  await session.close().catch(() => undefined);
}
