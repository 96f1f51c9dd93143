import type { Store } from "palimpsest";
import {
  type BatchOptions,
  type DeleteResult,
  type EntryBatch,
  fromMetadataText,
  type ListedSession,
  type LogReader,
  type OpenWriterResult,
  toMetadataText,
} from "palimpsest/store-parts";
import { checkName } from "./check-name.ts";
import type { Database, Row } from "./database.ts";
import { expirePage } from "./expire.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { TenantSeals } from "./key-ring/tenant-seals.ts";
import { BATCH_COLUMNS, batchEntries, batchValues, toBatch } from "./log/entry-batch.ts";
import { entryPayloads } from "./log/entry-payloads.ts";
import { toHead } from "./log/entry-row.ts";
import { createReader, createWriter, type LogOptions } from "./log/postgres-log.ts";
import { type LargeResults, postgresResults } from "./results/postgres-results.ts";
import { ClosedStoreError } from "./store-errors.ts";

export interface PostgresStoreOptions {
  readonly database: Database;
  readonly heartbeat: Heartbeat;
  readonly tenant: string;
  readonly leaseMs: number;
  nowMs(): number | null;
  readonly largeResults: LargeResults | undefined;
  readonly seals: TenantSeals;
}

const PAGE_SESSIONS = 100;
const OPENING_COLUMNS = `outcome, session, fence, owner, active_at_ms, free_at_ms, ${BATCH_COLUMNS}`;

/** The logs and results of one tenant. Nothing here reaches another: the database would not show it. */
export function postgresStore(options: PostgresStoreOptions): Store {
  const { database, heartbeat, tenant, leaseMs, nowMs, largeResults: large, seals } = options;
  const openLogs = new Set<LogReader>();
  let state: "open" | "closed" = "open";
  const call = async (name: string, values: readonly unknown[], columns?: string) => {
    if (state === "closed") throw new ClosedStoreError("The store");
    return database.call(name, [tenant, ...values], columns);
  };

  /** A log that is closed once, by whoever is first. */
  function open<Log extends LogReader>(session: string, create: (options: LogOptions) => Log, onClose = () => {}): Log {
    const log: Log = create({
      database,
      tenant,
      session,
      payloads: entryPayloads(seals, session),
      digest: seals.newDigest(),
      nowMs,
      assertOpen() {
        if (!openLogs.has(log)) throw new ClosedStoreError("The log");
      },
      onClose() {
        if (openLogs.delete(log)) onClose();
      },
    });
    openLogs.add(log);
    return log;
  }

  const batchOf = async (number: string, rows: readonly Row[], read: BatchOptions): Promise<EntryBatch> =>
    toBatch(toHead(rows[0]), await entryPayloads(seals, number).open(batchEntries(rows)), read);
  const toMetadata = async (session: string, kept: unknown): Promise<ListedSession["metadata"]> =>
    typeof kept === "string"
      ? fromMetadataText((await seals.openPayload(kept, ["metadata", session])) ?? "")
      : undefined;
  const toListed = async (row: Row): Promise<ListedSession> => {
    const id = String(row["name"]);
    const metadata = await toMetadata(id, row["metadata"]);
    return metadata === undefined ? { id } : { id, metadata };
  };

  return {
    async list({ after = "", limit = PAGE_SESSIONS } = {}) {
      const most = Math.max(1, Math.floor(limit));
      const rows = await call("list_sessions", [after, most + 1]);
      const sessions = await Promise.all(rows.slice(0, most).map(toListed));
      const last = sessions.at(-1);
      return rows.length > most && last !== undefined ? { sessions, next: last.id } : { sessions };
    },
    async openReader(session, { read } = {}) {
      checkName("session", session);
      if (read === undefined) {
        const [row] = await call("find_session", [session]);
        const number = row?.["find_session"] ?? undefined;
        return number === undefined ? undefined : open(String(number), createReader);
      }
      const rows = await call("find_and_read", [session, ...batchValues(read)], `session, ${BATCH_COLUMNS}`);
      const [row] = rows;
      if (row === undefined) return undefined;
      const number = String(row["session"]);
      return { ...open(number, createReader), batch: await batchOf(number, rows, read) };
    },
    async openWriter(session, { owner, takeover = "if-free", read }): Promise<OpenWriterResult> {
      checkName("session", session);
      for (;;) {
        const values = [session, owner, heartbeat.worker, takeover, nowMs(), leaseMs];
        const rows = await (read === undefined
          ? call("open_writer", values)
          : call("open_and_read", [...values, ...batchValues(read)], OPENING_COLUMNS));
        const [row] = rows;
        // Deleted in between: begin it anew.
        if (row === undefined) continue;
        if (row["outcome"] === "busy") return { kind: "busy", ...toHolder(row) };
        const fence = Number(row["fence"]);
        heartbeat.enter();
        const number = String(row["session"]);
        const writer = open(number, (options) => createWriter(options, fence), heartbeat.leave);
        if (read === undefined) return { kind: "opened", writer };
        return { kind: "opened", writer, batch: await batchOf(number, rows, read) };
      }
    },
    async writerOf(session) {
      const [row] = await call("writer_of", [checkName("session", session), nowMs(), leaseMs]);
      return row && toHolder(row);
    },
    async delete(session): Promise<DeleteResult> {
      const [row] = await call("delete_session", [checkName("session", session), nowMs(), leaseMs]);
      if (row?.["outcome"] === "busy") return { kind: "busy", ...toHolder(row) };
      if (row?.["outcome"] === "cited") return { kind: "cited", forks: row["forks"] as string[] };
      return { kind: row?.["outcome"] as "deleted" | "absent" };
    },
    expire: (page) => expirePage({ call, leaseMs, nowMs }, page),
    async readMetadata(session) {
      const [row] = await call("read_metadata", [checkName("session", session)]);
      return toMetadata(session, row?.["read_metadata"]);
    },
    async setMetadata(session, metadata) {
      const text = await seals.sealPayload(toMetadataText(metadata), ["metadata", checkName("session", session)]);
      const [row] = await call("set_metadata", [session, text]);
      return row?.["set_metadata"] as "set" | "absent";
    },
    results: postgresResults({ database, tenant, nowMs, large, seals }),
    async close() {
      await Promise.all([...openLogs].map((log) => log.close()));
      state = "closed";
    },
  };
}

function toHolder(row: Row) {
  return {
    owner: String(row["owner"]),
    activeAtMs: Number(row["active_at_ms"]),
    freeAtMs: Number(row["free_at_ms"]),
  };
}
