import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "palimpsest";
import { checkChain, EMPTY_LOG, type LogHead, sha256 } from "palimpsest/store-parts";
import { sealed } from "./sealed.ts";

/** What writers were told: the hash of each entry that was acknowledged, by session and number, and the number of its append. */
export interface Acknowledged {
  readonly entries: Map<string, { readonly hash: string; readonly append: number }>;
  /** Two writers were told that they wrote the same entry. */
  doubleWriters: number;
  /** How many appends have begun. */
  appends: number;
}

export const nothingAcknowledged = (): Acknowledged => ({ entries: new Map(), doubleWriters: 0, appends: 0 });

export interface KeptWriting {
  /** Ends with the append that is under way. Throws what a writer has thrown. */
  stop(): Promise<void>;
}

/** Appends to these sessions in turn until it is stopped, and takes them from whoever writes them. */
export function keepWriting(
  store: Store,
  {
    owner,
    sessions,
    told,
  }: { readonly owner: string; readonly sessions: readonly string[]; readonly told: Acknowledged },
): KeptWriting {
  let state: "running" | "stopped" = "running";
  async function write(session: string): Promise<void> {
    const opened = await store.openWriter(session, { owner, takeover: "always" });
    if (opened.kind === "busy") throw new Error("busy");
    const { writer } = opened;
    let head: LogHead = await writer.head();
    for (let count = 0; count < 5; count++) {
      const entries = sealed([owner], head);
      const append = ++told.appends;
      const result = await writer.append(entries);
      if (result.kind !== "appended") break;
      head = result.head;
      const key = `${session} ${head.sequence}`;
      if (told.entries.has(key)) told.doubleWriters++;
      told.entries.set(key, { hash: head.hash, append });
    }
    await writer.close();
  }
  const running = (async () => {
    while (state === "running") for (const session of sessions) await write(session);
  })();
  // Whoever stops it hears of it; until then it is no unhandled rejection.
  running.catch(() => undefined);
  return {
    async stop() {
      state = "stopped";
      await running;
    },
  };
}

/** Until so many entries more are acknowledged: what is done next is done to writers that write. */
export async function untilWritten({ entries }: Acknowledged, more: number): Promise<void> {
  const enough = entries.size + more;
  while (entries.size < enough) await wait(5);
}

/** Holds the logs against what was acknowledged. Everything is 0 in a database that has lost nothing. */
export async function auditLogs(
  store: Store,
  sessions: readonly string[],
  { entries, doubleWriters }: Acknowledged,
): Promise<{
  readonly lost: number;
  readonly changed: number;
  readonly broken: number;
  readonly doubleWriters: number;
}> {
  const found = new Map<string, string>();
  let broken = 0;
  for (const session of sessions) {
    const log = (await (await store.openReader(session))?.read(1, Number.POSITIVE_INFINITY)) ?? [];
    broken += checkChain(log, EMPTY_LOG, sha256).length;
    for (const { sequence, hash } of log) found.set(`${session} ${sequence}`, hash);
  }
  const missing = [...entries].filter(([key]) => !found.has(key));
  const changed = [...entries].filter(([key, { hash }]) => found.has(key) && found.get(key) !== hash);
  return { lost: missing.length, changed: changed.length, broken, doubleWriters };
}
