import { SessionLostError } from "../errors.ts";
import { type Draft, EMPTY_LOG, type Entry, type LogHead } from "../log/entry.ts";
import { sealEntries } from "../log/seal-entries.ts";
import { type Base, forkedReader, renumbered } from "../state/log.ts";
import { sha256 } from "../stores/sha256.ts";
import type { EntryBatch, LogReader, LogWriter } from "../stores/store.ts";
import { knownReader, OPENING } from "./known-reader.ts";

/** The log of an open session: the only place from which it is written. */
export interface SessionLog {
  readonly reader: LogReader;
  /** The newest entry that is known to be in the log. */
  readonly head: LogHead;
  /** Appends all or nothing; resolves when the entries are kept. */
  append(drafts: readonly Draft[]): Promise<readonly Entry[]>;
  /** Erases the payload of an entry of its own log. */
  erase(entry: number): Promise<void>;
  /**
   * Reads the end of the log, unless it was read just now. After an append that failed half-way, the log may hold entries that
   * were not acknowledged. Returns a reader that has the end at hand, for one look at the log.
   */
  refresh(opened?: EntryBatch): Promise<LogReader>;
}

export interface SessionLogOptions {
  readonly session: string;
  readonly writer: LogWriter;
  /** What it continues, if it is a fork's. */
  readonly base?: Base | undefined;
  readonly clock: { now(): number };
}

/** The log as it is before it was read: `refresh` is called first. */
export function createSessionLog({ session, writer, base, clock }: SessionLogOptions): SessionLog {
  const shared = base?.sequence ?? 0;
  const withBase = (own: LogReader): LogReader => (base === undefined ? own : forkedReader(base, own));
  let head = EMPTY_LOG;
  return {
    reader: withBase(writer),
    get head() {
      return { sequence: head.sequence + shared, hash: head.hash };
    },
    async append(drafts) {
      // A log is chained by its own numbers; those of a fork begin behind what it shares.
      const own = drafts.map((draft) =>
        draft.parent === undefined ? draft : { ...draft, parent: draft.parent - shared },
      );
      const digests = { digest: sha256, payloadDigest: writer.digest };
      const entries = sealEntries(own, { head, atMs: clock.now(), ...digests });
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
    async refresh(opened) {
      const batch = opened ?? (await writer.readBatch(OPENING));
      head = batch.head;
      return withBase(knownReader(writer, OPENING, batch));
    },
  };
}
