import type { Store } from "palimpsest";
import {
  type DeleteResult,
  type ListedSession,
  type LogReader,
  type OpenWriterResult,
  toMetadataText,
} from "palimpsest/core";
import { fromMetadataText } from "palimpsest/store-parts";
import { checkName } from "./check-name.ts";
import type { Database, Row } from "./database.ts";
import { expirePage } from "./expire.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { PLAIN_SEALS } from "./key-ring/tenant-seals.ts";
import { BATCH_COLUMNS, batchValues, toBatch } from "./log/entry-batch.ts";
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
}

const PAGE_SESSIONS = 100;
const OPENING_COLUMNS = `outcome, session, fence, owner, active_at_ms, free_at_ms, ${BATCH_COLUMNS}`;

/** The logs and results of one tenant. Nothing here reaches another: the database would not show it. */
export function postgresStore(options: PostgresStoreOptions): Store {
  const { database, heartbeat, tenant, leaseMs, nowMs, largeResults: large } = options;
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

  return {
    async list({ after = "", limit = PAGE_SESSIONS } = {}) {
      const most = Math.max(1, Math.floor(limit));
      const rows = await call("list_sessions", [after, most + 1]);
      const sessions = rows.slice(0, most).map(toListed);
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
      return row && { ...open(String(row["session"]), createReader), batch: toBatch(rows, read) };
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
        const writer = open(String(row["session"]), (options) => createWriter(options, fence), heartbeat.leave);
        return read === undefined ? { kind: "opened", writer } : { kind: "opened", writer, batch: toBatch(rows, read) };
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
      return fromMetadataText(String(row?.["read_metadata"] ?? ""));
    },
    async setMetadata(session, metadata) {
      const [row] = await call("set_metadata", [checkName("session", session), toMetadataText(metadata)]);
      return row?.["set_metadata"] as "set" | "absent";
    },
    results: postgresResults({ database, tenant, nowMs, large, seals: PLAIN_SEALS }),
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

function toListed(row: Row): ListedSession {
  const metadata = fromMetadataText(String(row["metadata"] ?? ""));
  return metadata === undefined ? { id: String(row["name"]) } : { id: String(row["name"]), metadata };
}
