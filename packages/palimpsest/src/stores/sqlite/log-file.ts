import { setTimeout as wait } from "node:timers/promises";
import { assertStorable } from "../assert-storable.ts";
import { collectBatch } from "../collect-batch.ts";
import type { LogReader, LogWriter } from "../store.ts";
import type { Connection } from "./connection.ts";
import { ClosedLogError, isLocked, StorageFailedError, toStoreError } from "./errors.ts";
import { appendEntries, erasePayload, readHead, readNewest, readRange, releaseFence } from "./log.ts";
import { searchLog } from "./search-log.ts";

/** Runs synchronous work on a log file, and waits if another process has locked it. */
export type Run = <T>(path: string, work: (connection: Connection) => T) => Promise<T>;

export interface OpenLogOptions {
  readonly path: string;
  readonly run: Run;
  readonly onClose: (path: string, closed: LogReader) => void;
}

/** A reader holds no connection, only the path: ten thousand of them cost a few megabytes. */
export function createReader(options: OpenLogOptions): LogReader {
  const queue = createQueue(options);
  const reader: LogReader = {
    ...createReads(queue),
    close: () => queue.close(async () => options.onClose(options.path, reader)),
  };
  return reader;
}

export function createWriter(options: OpenLogOptions & { fence: number; clock: { now(): number } }): LogWriter {
  const { path, run, onClose, fence, clock } = options;
  const queue = createQueue(options);
  const writer: LogWriter = {
    ...createReads(queue),
    fence,
    async append(entries) {
      assertStorable(entries);
      return await queue.add((connection) => appendEntries(connection, { fence, entries, nowMs: clock.now() }));
    },
    erase: (sequence) => queue.add((connection) => erasePayload(connection, { fence, sequence })),
    close: () =>
      queue.close(async () => {
        // A log that cannot be marked as free (full disk, removed file) is free when the lease is over.
        await run(path, (connection) => releaseFence(connection, { fence })).catch(() => {});
        onClose(path, writer);
      }),
  };
  return writer;
}

function createReads(queue: Queue): Omit<LogReader, "close"> {
  const reads: Omit<LogReader, "close"> = {
    head: () => queue.add(readHead),
    read: (from, to) => queue.add((connection) => readRange(connection, { from, to })),
    newest: (kind, below = Number.POSITIVE_INFINITY) =>
      queue.add((connection) => readNewest(connection, { kind, below })),
    readBatch: (options) => collectBatch(reads, options),
    search: (query, options) => searchLog({ ...options, query, run: queue.add }),
  };
  return reads;
}

interface Queue {
  add<T>(work: (connection: Connection) => T): Promise<T>;
  close(work: () => Promise<void>): Promise<void>;
}

/** In order: the next append does not overtake one that waits for a lock. */
function createQueue({ path, run }: OpenLogOptions): Queue {
  let last: Promise<unknown> = Promise.resolve();
  let closed: Promise<void> | undefined;
  return {
    add(work) {
      if (closed !== undefined) return Promise.reject(new ClosedLogError(path));
      const result = last.then(() => run(path, work));
      last = result.catch(() => {});
      return result;
    },
    close(work) {
      closed ??= last.then(work);
      return closed;
    },
  };
}

/** Waits outside of SQLite, so that one locked file does not stop the other sessions of the process. */
export async function retryLocked<T>(attempt: () => T, options: { path: string; timeoutMs: number }): Promise<T> {
  // Real time, not the injected clock: a clock that stands still must not make this wait for ever.
  const startMs = performance.now();
  for (let delayMs = 1; ; delayMs = Math.min(50, delayMs * 2)) {
    try {
      return attempt();
    } catch (error) {
      const isPassing = isLocked(error) || (StorageFailedError.isInstance(error) && error.reason === "locked");
      if (!isPassing) throw error;
      if (performance.now() - startMs > options.timeoutMs) throw toStoreError(options.path, error);
    }
    await wait(delayMs * (0.5 + Math.random()));
  }
}
