import type { Draft, Entry, LogHead } from "../log/entry.ts";
import { sealEntries } from "../log/seal-entries.ts";
import { sha256 } from "../stores/sha256.ts";
import type { LogReader, LogWriter } from "../stores/store.ts";
import { type Base, forkedReader, renumbered } from "./fork/forked-reader.ts";
import { SessionLostError } from "./session-errors.ts";

/** The log of an open session: the only place from which it is written. */
export interface SessionLog {
  readonly reader: LogReader;
  /** The newest entry that is known to be in the log. */
  readonly head: LogHead;
  /** Appends all or nothing; resolves when the entries are kept. */
  append(drafts: readonly Draft[]): Promise<readonly Entry[]>;
  /** Erases the payload of an entry of its own log. */
  erase(entry: number): Promise<void>;
  /** Reads where the log ends. After an append that failed half-way, it may hold entries that were not acknowledged. */
  refresh(): Promise<void>;
}

export interface SessionLogOptions {
  readonly session: string;
  readonly writer: LogWriter;
  /** What it continues, if it is a fork's. */
  readonly base?: Base | undefined;
  readonly clock: { now(): number };
}

export async function openSessionLog({ session, writer, base, clock }: SessionLogOptions): Promise<SessionLog> {
  const shared = base?.sequence ?? 0;
  let head = await writer.head();
  return {
    reader: base === undefined ? writer : forkedReader(base, writer),
    get head() {
      return { sequence: head.sequence + shared, hash: head.hash };
    },
    async append(drafts) {
      // A log is chained by its own numbers; those of a fork begin behind what it shares.
      const own = drafts.map((draft) =>
        draft.parent === undefined ? draft : { ...draft, parent: draft.parent - shared },
      );
      const entries = sealEntries(own, { head, atMs: clock.now(), digest: sha256 });
      const result = await writer.append(entries);
      if (result.kind === "fenced") throw new SessionLostError(session, `${result.owner} has taken it over`);
      if (result.kind === "out-of-order") {
        throw new SessionLostError(session, `its log ends at entry ${result.head.sequence}, not ${head.sequence}`);
      }
      head = result.head;
      return entries.map((entry) => renumbered(entry, shared));
    },
    async erase(entry) {
      const result = await writer.erase(entry - shared);
      if (result === "fenced") throw new SessionLostError(session, "another writer has taken it over");
    },
    async refresh() {
      head = await writer.head();
    },
  };
}
