import type { Draft, Entry, LogHead } from "../log/entry.ts";
import { sealEntries } from "../log/seal-entries.ts";
import { sha256 } from "../stores/sha256.ts";
import type { LogReader, LogWriter } from "../stores/store.ts";
import { SessionLostError } from "./session-errors.ts";

/** The log of an open session: the only place from which it is written. */
export interface SessionLog {
  readonly reader: LogReader;
  /** The newest entry that is known to be in the log. */
  readonly head: LogHead;
  /** Appends all or nothing; resolves when the entries are kept. */
  append(drafts: readonly Draft[]): Promise<readonly Entry[]>;
  /** Reads where the log ends. After an append that failed half-way, it may hold entries that were not acknowledged. */
  refresh(): Promise<void>;
}

export interface SessionLogOptions {
  readonly session: string;
  readonly writer: LogWriter;
  readonly clock: { now(): number };
}

export async function openSessionLog({ session, writer, clock }: SessionLogOptions): Promise<SessionLog> {
  let head = await writer.head();
  return {
    reader: writer,
    get head() {
      return head;
    },
    async append(drafts) {
      const entries = sealEntries(drafts, { head, atMs: clock.now(), digest: sha256 });
      const result = await writer.append(entries);
      if (result.kind === "fenced") throw new SessionLostError(session, `${result.owner} has taken it over`);
      if (result.kind === "out-of-order") {
        throw new SessionLostError(session, `its log ends at entry ${result.head.sequence}, not ${head.sequence}`);
      }
      head = result.head;
      return entries;
    },
    async refresh() {
      head = await writer.head();
    },
  };
}
