import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "palimpsest";
import { checkOptions, withMethods } from "palimpsest/schema";
import { type HeldLog, holdLog, readLines, type TranscriptLine } from "./held-log.ts";
import {
  fromMetadata,
  type KeptTranscript,
  logId,
  projectPrefix,
  type SessionKey,
  toMetadata,
} from "./transcript-key.ts";

/** Options of the session store. Only our store is required. */
export interface SessionStoreOptions {
  /** Where transcripts are kept: any store of Palimpsest's. */
  readonly store: Store;
  /** A transcript that nothing was added to for this long is let go. @default 60,000 */
  readonly closeAfterMs?: number;
  /** @default the time of the machine */
  readonly clock?: { now(): number };
}

/** The SDK's `SessionStore`. */
export interface TranscriptStore {
  append(key: SessionKey, entries: TranscriptLine[]): Promise<void>;
  load(key: SessionKey): Promise<TranscriptLine[] | null>;
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  delete(key: SessionKey): Promise<void>;
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>;
  /** Lets all transcripts go. Before a process ends; the store stays open. */
  close(): Promise<void>;
}

/** How often a log is opened again that another process has taken over in between. */
const ATTEMPTS = 10;
/** Two that take it from each other at the same pace would never write: each waits a random time, longer with each attempt. */
const PAUSE_MS = 20;

interface Held {
  log: Promise<HeldLog> | undefined;
  /** Work on one transcript is done in order. */
  tail: Promise<unknown>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Keeps the transcripts of the Claude Agent SDK in a store, one log for each: pass it as `options.sessionStore` of `query`. */
export function sessionStore(options: SessionStoreOptions): TranscriptStore {
  checkOptions("sessionStore(options)", options, {
    store: withMethods(["openWriter"], "a store: sqliteStore({ folder })"),
  });
  const { store, closeAfterMs = 60_000, clock = { now: () => Date.now() } } = options;
  const held = new Map<string, Held>();

  function inOrder<Result>(id: string, work: (one: Held) => Promise<Result>): Promise<Result> {
    const one = held.get(id) ?? { log: undefined, tail: Promise.resolve(), timer: undefined };
    held.set(id, one);
    clearTimeout(one.timer);
    const result = one.tail.then(() => work(one));
    const done = result
      .catch(() => {})
      .then(() => {
        if (one.tail === done) rest(id, one);
      });
    one.tail = done;
    return result;
  }

  /** Nothing is to be done: a log that is open is let go later. */
  function rest(id: string, one: Held): void {
    if (one.log === undefined) held.delete(id);
    else {
      one.timer = setTimeout(() => void inOrder(id, letGo).catch(() => {}), closeAfterMs);
      one.timer.unref();
    }
  }

  async function letGo(one: Held): Promise<void> {
    const { log } = one;
    one.log = undefined;
    await (await log)?.close();
  }

  async function add(one: Held, id: string, lines: readonly TranscriptLine[]): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      one.log ??= holdLog(store, id);
      try {
        if ((await (await one.log).add(lines, clock.now())) === "added") return;
      } catch (error) {
        one.log = undefined;
        throw error;
      }
      await letGo(one);
      await wait(Math.random() * PAUSE_MS * 2 ** Math.min(attempt, 6));
    }
    throw new Error(
      `Other processes took the transcript ${id} over ${ATTEMPTS} times. Nothing was written; try again.`,
    );
  }

  async function* transcripts(prefix: string): AsyncGenerator<{ id: string; kept: KeptTranscript }> {
    for (let after: string | undefined = prefix; after !== undefined; ) {
      const page: Awaited<ReturnType<Store["list"]>> = await store.list({ after });
      for (const { id, metadata } of page.sessions) {
        if (!id.startsWith(prefix)) return;
        const kept = fromMetadata(metadata);
        if (kept !== undefined) yield { id, kept };
      }
      after = page.next;
    }
  }

  async function remove(id: string): Promise<void> {
    await inOrder(id, letGo);
    const deleted = await store.delete(id);
    if (deleted.kind === "busy") {
      throw new Error(`The transcript ${id} was not deleted: ${deleted.owner} writes it. End that session first.`);
    }
  }

  return {
    async append(key, entries) {
      if (entries.length === 0) return;
      const id = logId(key);
      return inOrder(id, async (one) => {
        await add(one, id, entries);
        await store.setMetadata(id, { ...(await store.readMetadata(id)), ...toMetadata(key, Math.floor(clock.now())) });
      });
    },
    async load(key) {
      const lines = await readLines(store, logId(key));
      return lines === undefined || lines.length === 0 ? null : lines;
    },
    async listSessions(projectKey) {
      const found: { sessionId: string; mtime: number }[] = [];
      for await (const { kept } of transcripts(projectPrefix(projectKey))) {
        if (kept.subpath === undefined) found.push({ sessionId: kept.session, mtime: kept.updatedAtMs });
      }
      return found;
    },
    async delete(key) {
      const id = logId(key);
      const ids = [id];
      if (key.subpath === undefined) for await (const own of transcripts(`${id}.`)) ids.push(own.id);
      for (const one of ids) await remove(one);
    },
    async listSubkeys(key) {
      const found: string[] = [];
      for await (const { kept } of transcripts(`${logId(key)}.`)) {
        if (kept.subpath !== undefined) found.push(kept.subpath);
      }
      return found;
    },
    async close() {
      const all = [...held.keys()];
      await Promise.all(all.map((id) => inOrder(id, letGo)));
    },
  };
}
