import { type AppendResult, assertStorable, type Entry, type LogReader, type LogWriter } from "palimpsest/store-parts";
import type { Database, Row } from "../database.ts";
import { BATCH_COLUMNS, batchEntries, batchValues, toBatch } from "./entry-batch.ts";
import type { EntryPayloads } from "./entry-payloads.ts";
import { ENTRY_COLUMNS, toEntry, toHead, toSequence, valuesOf } from "./entry-row.ts";
import { searchLog } from "./search-log.ts";

export interface LogOptions {
  readonly database: Database;
  readonly tenant: string;
  /** The session's number, which no other session ever has. */
  readonly session: string;
  readonly payloads: EntryPayloads;
  /** Of payloads, if it is not SHA-256. */
  readonly digest: LogWriter["digest"] | undefined;
  nowMs(): number | null;
  /** Throws if the store or this log was closed. */
  assertOpen(): void;
  onClose(): void;
}

export function createReader(options: LogOptions): LogReader {
  const { database, tenant, session, payloads, digest, assertOpen, onClose } = options;
  const entries = async (name: string, ...values: readonly unknown[]): Promise<readonly Entry[]> => {
    assertOpen();
    return payloads.open((await database.call(name, [tenant, session, ...values], ENTRY_COLUMNS)).map(toEntry));
  };
  return {
    ...(digest && { digests: "keyed" as const }),
    async head() {
      assertOpen();
      const [row] = await database.call("read_refusal", [tenant, session, 0]);
      return toHead(row);
    },
    read: (from, to) => entries("read_entries", toSequence(from), toSequence(Math.floor(to))),
    async newest(kind, below = Number.POSITIVE_INFINITY) {
      const [entry] = await entries("newest_entry", kind, toSequence(below));
      return entry;
    },
    async readBatch(batch) {
      assertOpen();
      const rows = await database.call("read_batch", [tenant, session, ...batchValues(batch)], BATCH_COLUMNS);
      return toBatch(toHead(rows[0]), await payloads.open(batchEntries(rows)), batch);
    },
    search: (query, limits) => searchLog((...values) => entries("read_back", ...values), query, limits),
    close: async () => onClose(),
  };
}

export function createWriter(options: LogOptions, fence: number): LogWriter {
  const { database, tenant, session, payloads, digest, nowMs, assertOpen, onClose } = options;
  const call = (name: string, ...values: readonly unknown[]) =>
    database.call(name, [tenant, session, fence, ...values]);
  return {
    ...createReader(options),
    ...(digest && { digest }),
    fence,
    async append(entries) {
      assertOpen();
      assertStorable(entries);
      const [first] = entries;
      if (entries.some(({ sequence }, index) => sequence !== first!.sequence + index)) {
        const [row] = await call("read_refusal");
        return refusalOf(row, fence);
      }
      const values = (await payloads.seal(entries)).map(valuesOf);
      // One entry as plain values: arrays of one take the server longer.
      const [row] =
        values.length === 1
          ? await call("append_one", nowMs(), ...values[0]!)
          : await call(
              "append",
              nowMs(),
              ...Array.from({ length: 8 }, (_, column) => values.map((one) => one[column])),
            );
      if (row !== undefined) return refusalOf(row, fence);
      const { sequence, hash } = entries.at(-1)!;
      return { kind: "appended", head: { sequence, hash } };
    },
    async erase(sequence) {
      assertOpen();
      const [row] = await call("erase_entry", toSequence(sequence));
      return row?.["erase_entry"] as "erased" | "absent" | "fenced";
    },
    async close() {
      onClose();
      // One that cannot be marked as closed is free when its lease is over.
      await call("close_writer").catch(() => undefined);
    },
  };
}

function refusalOf(row: Row | undefined, fence: number): AppendResult {
  if (row?.["outcome"] === "appended") return { kind: "appended", head: toHead(row) };
  if (row?.["outcome"] === "out-of-order") return { kind: "out-of-order", head: toHead(row) };
  if (row?.["outcome"] === "fenced")
    return { kind: "fenced", owner: String(row["owner"]), fence: Number(row["fence"]) };
  return { kind: "fenced", owner: "nobody (the session was deleted)", fence: fence + 1 };
}
