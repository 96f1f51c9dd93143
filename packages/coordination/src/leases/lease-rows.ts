import type { Owner } from "palimpsest/sqlite";
import type { CoordinationConnection } from "../coordination-connection.ts";
import { present, readOwner } from "../owner-columns.ts";

/** A lease as stored in the file. */
export interface LeaseRow {
  readonly generation: number;
  readonly state: "free" | "held";
  /** Identifies one acquisition of the lease; a process that takes it twice is two owners. */
  readonly holder: string;
  readonly owner: string;
  readonly takenAtMs: number;
  readonly process: Owner;
  readonly lastDoneAtMs?: number;
  readonly lastScanAtMs?: number;
}

/** The owner of a lease, for people to read. */
export interface LeaseOwner {
  readonly owner: string;
  readonly host: string;
  readonly pid: number;
  readonly takenAtMs: number;
  readonly renewedAtMs: number;
}

export function toOwner({ owner, takenAtMs, process: { host, pid, renewedAtMs } }: LeaseRow): LeaseOwner {
  return { owner, host, pid, takenAtMs, renewedAtMs };
}

export function readLease({ statement }: CoordinationConnection, name: string): LeaseRow | undefined {
  const row = statement("SELECT * FROM lease WHERE name = ?").get(name);
  if (row === undefined) return undefined;
  const { generation, state, holder, owner, taken_at_ms: takenAtMs } = row;
  const process = readOwner(row);
  const dates = {
    ...present("lastDoneAtMs", row["last_done_at_ms"]),
    ...present("lastScanAtMs", row["last_scan_at_ms"]),
  };
  return { generation, state, holder, owner, takenAtMs, process, ...dates } as LeaseRow;
}

export function takeLease(
  { statement }: CoordinationConnection,
  name: string,
  taken: { generation: number; holder: string; owner: string; takenAtMs: number; process: Owner },
): void {
  const { generation, holder, owner, takenAtMs, process } = taken;
  const { host, pid, started = null, realm = null, renewedAtMs, renewedTicksMs } = process;
  statement(`INSERT INTO lease (name, generation, state, holder, owner, taken_at_ms,
    host, pid, started, realm, renewed_at_ms, renewed_ticks_ms) VALUES (?, ?, 'held', ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET generation = excluded.generation, state = 'held', holder = excluded.holder,
    owner = excluded.owner, taken_at_ms = excluded.taken_at_ms, host = excluded.host, pid = excluded.pid,
    started = excluded.started, realm = excluded.realm, renewed_at_ms = excluded.renewed_at_ms,
    renewed_ticks_ms = excluded.renewed_ticks_ms`).run(
    name,
    generation,
    holder,
    owner,
    takenAtMs,
    host,
    pid,
    started,
    realm,
    renewedAtMs,
    renewedTicksMs,
  );
}

export function renewLease(
  { statement }: CoordinationConnection,
  name: string,
  { renewedAtMs, renewedTicksMs }: Pick<Owner, "renewedAtMs" | "renewedTicksMs">,
): void {
  statement("UPDATE lease SET renewed_at_ms = ?, renewed_ticks_ms = ? WHERE name = ?").run(
    renewedAtMs,
    renewedTicksMs,
    name,
  );
}

/** @param doneAtMs absent: the earlier value stays */
export function freeLease({ statement }: CoordinationConnection, name: string, doneAtMs?: number): void {
  statement("UPDATE lease SET state = 'free', last_done_at_ms = coalesce(?, last_done_at_ms) WHERE name = ?").run(
    doneAtMs ?? null,
    name,
  );
}

export function markDone({ statement }: CoordinationConnection, name: string, atMs: number): void {
  statement("UPDATE lease SET last_done_at_ms = max(coalesce(last_done_at_ms, 0), ?) WHERE name = ?").run(atMs, name);
}

export function markScan({ statement }: CoordinationConnection, name: string, atMs: number): void {
  statement(`INSERT INTO lease (name, generation, state, holder, owner, taken_at_ms,
    host, pid, renewed_at_ms, renewed_ticks_ms, last_scan_at_ms) VALUES (?, 0, 'free', '', '', 0, '', 0, 0, 0, ?)
  ON CONFLICT (name) DO UPDATE SET last_scan_at_ms = excluded.last_scan_at_ms`).run(name, atMs);
}
