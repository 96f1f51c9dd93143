import { join } from "node:path";
import { type LogIndex, openLogIndex } from "palimpsest/inspect";
import type { FoundSession, OpenedSession, SessionSource, UnreadableSession } from "./sources/session-source.ts";

/** A session that somebody looks at, with its index. */
export interface IndexedSession extends OpenedSession {
  readonly key: string;
  readonly index: LogIndex;
}

export interface ListedSessions {
  /** Last used first. */
  readonly sessions: readonly FoundSession[];
  readonly unreadable: readonly UnreadableSession[];
}

/** The sessions of all sources. Those that were looked at last stay open. */
export interface OpenSessions {
  list(): Promise<ListedSessions>;
  /** Opens a session, or finds it open. Its index is as the last `update` left it. */
  find(key: string): Promise<IndexedSession | undefined>;
  close(): Promise<void>;
}

export interface OpenSessionsOptions {
  readonly sources: readonly SessionSource[];
  /** Where indexes are kept. @default in memory */
  readonly folder?: string;
}

const KEPT_SESSIONS = 8;

export function openSessions({ sources, folder }: OpenSessionsOptions): OpenSessions {
  const open = new Map<string, Promise<IndexedSession | undefined>>();

  async function openOne(key: string): Promise<IndexedSession | undefined> {
    for (const source of sources) {
      const opened = await source.open(key);
      if (opened === undefined) continue;
      const file = folder === undefined ? undefined : join(folder, `${key}.sqlite`);
      return { ...opened, key, index: openLogIndex(opened.inspected, file) };
    }
    return undefined;
  }
  async function closeOne(key: string): Promise<void> {
    const found = await open.get(key)?.catch(() => undefined);
    open.delete(key);
    found?.index.close();
    await found?.close();
  }

  return {
    async list() {
      const sessions: FoundSession[] = [];
      const unreadable: UnreadableSession[] = [];
      for (const source of sources) {
        for await (const found of source.list()) {
          if ("unreadable" in found) unreadable.push(found);
          else sessions.push(found);
        }
      }
      const byUse = sessions.toSorted((one, other) => (other.usedAtMs ?? 0) - (one.usedAtMs ?? 0));
      return { sessions: byUse, unreadable };
    },
    async find(key) {
      const known = open.get(key) ?? openOne(key);
      // The newest stands last.
      open.delete(key);
      open.set(key, known);
      const [oldest] = open.keys();
      if (open.size > KEPT_SESSIONS && oldest !== undefined) await closeOne(oldest);
      const found = await known.catch((error: unknown) => {
        open.delete(key);
        throw error;
      });
      if (found === undefined) open.delete(key);
      return found;
    },
    async close() {
      for (const key of [...open.keys()]) await closeOne(key);
      for (const source of sources) await source.close();
    },
  };
}
