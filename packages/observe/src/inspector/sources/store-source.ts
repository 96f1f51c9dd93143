import type { Store } from "palimpsest";
import { eachSession, entryText, openInspected, readPayload } from "palimpsest/inspect";
import type { LogReader } from "palimpsest/store-parts";
import { sessionKey } from "./session-key.ts";
import type { FoundSession, SessionSource, UndoCompaction } from "./session-source.ts";

/** The store whose sessions are shown. Without `undo`, the page changes nothing. */
export interface StoreSourceOptions {
  readonly store: Store;
  /** Names the store among others, such as its folder. */
  readonly name: string;
  /** The folder that its sessions worked in. */
  readonly folder?: string;
  /** Undoes a compaction for the user of the page. @default the page only reads */
  readonly undo?: UndoCompaction;
}

export interface StoreSource extends SessionSource {
  /** The key of a session of the store, whether or not there is one. */
  keyOf(id: string): string;
}

/** The user's first message comes right after the configuration, so a few entries are enough. */
const FIRST_ENTRIES = 20;
const TITLE_CHARACTERS = 120;
/** A fleet has millions of sessions. Each that is listed costs a few reads. */
const MAX_LISTED = 500;

/** The sessions of a store. Looking only reads: whoever writes to them is not disturbed. */
export function storeSource({ store, name, folder, undo }: StoreSourceOptions): StoreSource {
  /** Sessions that somebody has been told the key of. */
  const known = new Map<string, string>();
  const keyOf = (id: string): string => {
    const key = sessionKey("store", name, id);
    known.set(key, id);
    return key;
  };
  async function idOf(key: string): Promise<string | undefined> {
    if (known.has(key)) return known.get(key);
    // An address of an earlier run.
    for await (const { id } of eachSession(store)) if (sessionKey("store", name, id) === key) return id;
    return undefined;
  }

  async function describe(id: string): Promise<FoundSession | undefined> {
    const log = await store.openReader(id);
    if (log === undefined) return undefined;
    try {
      return { key: keyOf(id), id, agent: "palimpsest", ...(await beginningOf(log)), ...(folder && { folder }) };
    } finally {
      await log.close();
    }
  }

  return {
    keyOf,
    async *list() {
      let listed = 0;
      for await (const { id } of eachSession(store)) {
        if (listed++ === MAX_LISTED) {
          const why = `Only ${MAX_LISTED} are listed. Open another one by its id: palimpsest inspect ID`;
          return yield { unreadable: "more sessions", why };
        }
        const found = await describe(id).catch((error: unknown) => ({ unreadable: id, why: String(error) }));
        if (found !== undefined) yield found;
      }
    },
    async open(key) {
      const id = await idOf(key);
      const inspected = id === undefined ? undefined : await openInspected(store, id);
      if (inspected === undefined) return undefined;
      const close = (): Promise<void> => inspected.close();
      const opened = { inspected, store, files: store.results, fidelity: "recorded", keyOf, close } as const;
      return undo === undefined ? opened : { ...opened, undo };
    },
    // The store belongs to whoever opened it.
    async close() {},
  };
}

async function beginningOf(log: LogReader): Promise<Pick<FoundSession, "title" | "startedAtMs" | "usedAtMs">> {
  const { sequence } = await log.head();
  const first = await log.read(1, FIRST_ENTRIES);
  const [newest] = await log.read(sequence, sequence);
  const said = first.find((entry) => {
    const read = readPayload(entry);
    return read.kind === "message" && read.payload.origin === "human";
  });
  return {
    title: ((said && entryText(said)) ?? "").replace(/\s+/g, " ").slice(0, TITLE_CHARACTERS).toWellFormed(),
    startedAtMs: first[0]?.atMs ?? 0,
    usedAtMs: newest?.atMs ?? 0,
  };
}
