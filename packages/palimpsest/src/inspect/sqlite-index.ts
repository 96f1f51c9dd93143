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

/** The index of one log, for timelines. The index can be rebuilt from the log at any time. */
export interface LogIndex extends IndexQueries {
  /** Indexes new entries. Cheap if the log has none. */
  update(options?: UpdateOptions): Promise<IndexUpdate>;
  close(): void;
}

/** Options to cancel an update and to follow its progress. */
export interface UpdateOptions {
  /** Stops between two batches. Entries that are already indexed are kept. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly entries: number; readonly ofEntries: number }) => void;
}

/** The result of an update. */
export interface IndexUpdate {
  /** `made-anew`: the file was rebuilt, because it was damaged, had another format, or belonged to another log. */
  readonly kind: "current" | "extended" | "made-anew";
  /** The reason why the file was rebuilt. */
  readonly why?: string;
  readonly entries: number;
  readonly head: LogHead;
}

/**
 * Opens the index of a log, or creates a new one. Call `update` to index the log.
 * @param file the path of the index. @default in memory
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
      // The file is damaged or not a database: the next `update` rebuilds it.
      if (sqliteCode(error) === 11 || sqliteCode(error) === 26) begin(`it was damaged (${messageOf(error)})`);
      throw error;
    }
  }
  /** Returns the entry after which indexing continues. Discards an index of another log. */
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
          // The file was discarded, so try once more with a new file.
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

/** The number of entries per transaction. Other work of this process runs between transactions. */
const BATCH_ENTRIES = 1_024;
/** The number of entries per read. With 256, garbage of a log of 1 GB outlives its batch, and the process takes 100 MB more. */
const READ_ENTRIES = 32;
