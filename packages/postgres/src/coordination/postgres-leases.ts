import { randomUUID } from "node:crypto";
import type { Lease, LeaseOwner, Leases } from "@palimpsest/coordination";
import { type Database, inTransaction, type Row, type TransactionPool } from "../database.ts";

export interface PostgresLeasesOptions {
  readonly database: Database;
  readonly pool: TransactionPool;
  readonly tenant: string;
  readonly silentAfterMs: number;
  /** Of this process, for people to read. */
  readonly process: { readonly host: string; readonly pid: number };
  nowMs(): number | null;
  onTaken(lease: Lease): void;
}

/** Only silence takes a lease from its owner: nobody can tell whether a process on another machine is alive. */
export function createPostgresLeases(options: PostgresLeasesOptions): Leases {
  const { database, tenant, silentAfterMs, nowMs, onTaken } = options;
  const { host, pid } = options.process;
  return {
    async take(name, { owner }) {
      const holder = randomUUID();
      const values = [tenant, name, holder, owner, host, pid, nowMs(), silentAfterMs];
      const [row] = await database.call("take_lease", values);
      if (row?.["outcome"] === "held") return { kind: "held", by: toOwner(row) };
      const lease = createLease(options, name, holder, row!);
      onTaken(lease);
      return { kind: "taken", lease };
    },
    async read(name) {
      const [row] = await database.call("read_lease", [tenant, name]);
      return {
        failures: Number(row?.["failures"] ?? 0),
        ...present("lastTriedAtMs", row?.["last_tried_at_ms"]),
        ...present("lastDoneAtMs", row?.["last_done_at_ms"]),
        ...present("lastScanAtMs", row?.["last_scan_at_ms"]),
        ...(row?.["state"] === "held" ? { holder: toOwner(row) } : {}),
      };
    },
    async confirm(name) {
      await database.call("confirm_lease", [tenant, name]);
    },
    async touch(name, { everyMs }) {
      const [row] = await database.call("touch_lease", [tenant, name, everyMs, nowMs()]);
      return row?.["touch_lease"] === true ? "touched" : "recent";
    },
  };
}

function createLease(
  { database, pool, tenant, nowMs }: PostgresLeasesOptions,
  name: string,
  holder: string,
  row: Row,
): Lease {
  const generation = Number(row["generation"]);
  const key = [tenant, name, generation, holder];
  const isDone = async (call: string, ...values: readonly unknown[]): Promise<boolean> =>
    (await database.call(call, [...key, ...values]))[0]?.[call] === true;
  return {
    name,
    generation,
    takenAtMs: Number(row["now_at_ms"]),
    failures: Number(row["failures"]),
    ...present("lastDoneAtMs", row["last_done_at_ms"]),
    ...(row["outcome"] === "reclaimed" ? { reclaimed: { from: toOwner(row), because: "silent" as const } } : {}),
    renew: async () => ((await isDone("renew_lease", nowMs())) ? "held" : "lost"),
    check: async () => ((await isDone("hold_lease")) ? "held" : "lost"),
    guard: (write) =>
      inTransaction(pool, async (transaction) => {
        const [held] = await transaction.call("hold_lease", key);
        return held?.["hold_lease"] === true ? { kind: "done", value: await write() } : { kind: "lost" };
      }),
    finish: async (outcome) => ((await isDone("finish_lease", outcome)) ? "finished" : "lost"),
  };
}

function toOwner(row: Row): LeaseOwner {
  return {
    owner: String(row["owner"]),
    host: String(row["host"]),
    pid: Number(row["pid"]),
    takenAtMs: Number(row["taken_at_ms"]),
    renewedAtMs: Number(row["renewed_at_ms"]),
  };
}

/** An object with the time under this name; an empty one if there is none. */
function present<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: number } {
  return value === null || value === undefined ? {} : ({ [name]: Number(value) } as { readonly [Key in Name]: number });
}
