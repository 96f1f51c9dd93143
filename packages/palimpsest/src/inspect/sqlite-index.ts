/** `palimpsest/sqlite-index`: the index of a log in a SQLite file, for programs that show logs of any size. Node only. */

import { setImmediate as others } from "node:timers/promises";
import { EMPTY_LOG, type LogHead } from "../log/entry.ts";
import { readEntries } from "../stores/read.ts";
import { messageOf, sqliteCode } from "../stores/sqlite/errors.ts";
import {
  type IndexDatabase,
  type IndexQueries,
  indexQueries,
  openFile,
  readIndexHead,
  removeFile,
  writeRows,
} from "./index-database.ts";
import { foldIndex, type IndexRow, type IndexState, indexStateAt } from "./index-rows.ts";
import type { InspectedLog } from "./inspected.ts";

/** The index of one log: what a timeline needs of it. It can be made again from the log at any time. */
export interface LogIndex extends IndexQueries {
  /** Indexes the entries that are new. Cheap if there are none. */
  update(options?: UpdateOptions): Promise<IndexUpdate>;
  close(): void;
}

/** How to cancel and to follow an update of the index. */
export interface UpdateOptions {
  /** Stops between two batches; what was indexed stays. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly entries: number; readonly ofEntries: number }) => void;
}

/** What an update of the index did. */
export interface IndexUpdate {
  /** `made-anew`: the file was damaged, of another format, or of another log, and was begun again. */
  readonly kind: "current" | "extended" | "made-anew";
  /** Why it was made anew. */
  readonly why?: string;
  readonly entries: number;
  readonly head: LogHead;
}

/**
 * Opens the index of a log, and makes one if there is none. It is current after `update`.
 * @param file where it is kept. @default in memory
 */
export function openLogIndex(inspected: Pick<InspectedLog, "log" | "sharedTo">, file?: string): LogIndex {
  const { log, sharedTo } = inspected;
  let opened: IndexDatabase | undefined;
  let broken: string | undefined;
  let state: IndexState | undefined;

  function connect(): IndexDatabase {
    if (opened !== undefined) return opened;
    const found = openFile(file);
    broken ??= found.why;
    opened = found.index;
    return opened;
  }
  function begin(why: string): void {
    opened?.database.close();
    opened = undefined;
    state = undefined;
    broken = why;
    removeFile(file);
  }
  function use<T>(work: (index: IndexDatabase) => T): T {
    try {
      return work(connect());
    } catch (error) {
      // Damaged, or no database: the next `update` makes it again.
      if (sqliteCode(error) === 11 || sqliteCode(error) === 26) begin(`it was damaged (${messageOf(error)})`);
      throw error;
    }
  }
  /** Where to go on from. An index of another log is given up. */
  async function findHead(): Promise<LogHead> {
    const head = use(readIndexHead);
    if (head.sequence === 0) return hashAt(sharedTo);
    const [entry] = await log.read(head.sequence, head.sequence);
    if (entry?.hash === head.hash) return head;
    begin(`entry ${head.sequence} of the log is not the one that was indexed`);
    connect();
    return hashAt(sharedTo);
  }
  async function hashAt(sequence: number): Promise<LogHead> {
    const [entry] = sequence === 0 ? [] : await log.read(sequence, sequence);
    return entry === undefined ? EMPTY_LOG : { sequence, hash: entry.hash };
  }

  async function extend({ signal, onProgress }: UpdateOptions): Promise<IndexUpdate> {
    const { sequence: end } = await log.head();
    let head = await findHead();
    let entries = 0;
    while (head.sequence < end && signal?.aborted !== true) {
      const started: IndexState =
        state?.at === head.sequence ? state : await indexStateAt(log, head.sequence, sharedTo);
      state = undefined;
      let current = started;
      const rows: IndexRow[] = [];
      let newest = head;
      const last = Math.min(end, head.sequence + BATCH_ENTRIES);
      for await (const entry of readEntries(log, head.sequence + 1, last, READ_ENTRIES)) {
        const folded = await foldIndex(current, entry, log);
        current = folded.state;
        if (folded.row !== undefined) rows.push(folded.row);
        newest = entry;
      }
      if (newest === head) break;
      const before = head.sequence === sharedTo ? EMPTY_LOG : head;
      const next = { sequence: newest.sequence, hash: newest.hash };
      if (use((index) => writeRows(index, rows, { after: before, head: next })) === "elsewhere") {
        head = await findHead();
        continue;
      }
      entries += next.sequence - head.sequence;
      head = next;
      state = current;
      onProgress?.({ entries: head.sequence, ofEntries: end });
      await others();
    }
    const why = broken;
    broken = undefined;
    if (why !== undefined) return { kind: "made-anew", why, entries, head };
    return { kind: entries === 0 ? "current" : "extended", entries, head };
  }

  let running: Promise<unknown> = Promise.resolve();
  return {
    ...indexQueries(use),
    update(options = {}) {
      const attempt = async (): Promise<IndexUpdate> => {
        try {
          return await extend(options);
        } catch (error) {
          // Once more, on a file that was begun anew.
          if (broken === undefined) throw error;
          return extend(options);
        }
      };
      const result = running.then(attempt);
      running = result.catch(() => undefined);
      return result;
    },
    close() {
      opened?.database.close();
      opened = undefined;
    },
  };
}

/** Entries between two transactions, and between two turns of other work in this process. */
const BATCH_ENTRIES = 1_024;
/** Entries read at once. With 256, garbage of a log of 1 GB outlives its batch, and the process takes 100 MB more. */
const READ_ENTRIES = 32;
