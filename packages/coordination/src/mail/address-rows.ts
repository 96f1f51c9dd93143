import { type Owner, type Place, processState, silenceMs } from "palimpsest/sqlite";
import type { CoordinationConnection } from "../coordination-connection.ts";
import { present, readOwner } from "../owner-columns.ts";

export interface AddressRow {
  readonly number: number;
  readonly team: string;
  readonly name: string;
  readonly session: string;
  readonly state: "running" | "stopped";
  readonly socket?: string;
  readonly process: Owner;
}

/** The address of an agent, and whether it is running. */
export interface Address {
  readonly team: string;
  readonly name: string;
  readonly session: string;
  /** `stopped`: the agent has no process. Mail waits for it; opening its session wakes it. */
  readonly state: "running" | "stopped";
  /** The socket its session listens on. */
  readonly socket?: string;
  readonly host: string;
  readonly pid: number;
}

export function toAddress(row: AddressRow, place: Place, silentAfterMs: number): Address {
  const { team, name, session, socket, process } = row;
  return {
    team,
    name,
    session,
    state: isFree(row, place, silentAfterMs) ? "stopped" : "running",
    ...(socket === undefined ? {} : { socket }),
    host: process.host,
    pid: process.pid,
  };
}

/** Whether the agent has no process any more, so that another may take the name. A process that is known to run keeps it, however silent. */
export function isFree(row: AddressRow, place: Place, silentAfterMs: number): boolean {
  if (row.state === "stopped") return true;
  const look = processState(row.process, place);
  return look === "gone" || (look === "unknown" && silenceMs(row.process, place) >= silentAfterMs);
}

export function readAddress({ statement }: CoordinationConnection, team: string, name: string): AddressRow | undefined {
  return toRow(statement("SELECT * FROM address WHERE team = ? AND name = ?").get(team, name));
}

/** The address of the token's owner, as long as nobody else has registered the name and it was not stopped. */
export function readOwn({ statement }: CoordinationConnection, number: number, token: string): AddressRow | undefined {
  return toRow(
    statement("SELECT * FROM address WHERE number = ? AND token = ? AND state = 'running'").get(number, token),
  );
}

export function readTeam({ statement }: CoordinationConnection, team: string): AddressRow[] {
  return statement("SELECT * FROM address WHERE team = ? ORDER BY name")
    .all(team)
    .flatMap((row) => toRow(row) ?? []);
}

/** Returns the number of the address: the earlier one of its name, if there is one, with the waiting mail. */
export function writeAddress(
  { statement }: CoordinationConnection,
  address: Omit<AddressRow, "number" | "state"> & { readonly token: string },
): number {
  const { team, name, session, token, socket = null, process } = address;
  const { host, pid, started = null, realm = null, renewedAtMs, renewedTicksMs } = process;
  const row = statement(`INSERT INTO address (team, name, session, token, state, socket,
    host, pid, started, realm, renewed_at_ms, renewed_ticks_ms) VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (team, name) DO UPDATE SET session = excluded.session, token = excluded.token,
    state = 'running', socket = excluded.socket, host = excluded.host, pid = excluded.pid, started = excluded.started,
    realm = excluded.realm, renewed_at_ms = excluded.renewed_at_ms, renewed_ticks_ms = excluded.renewed_ticks_ms
  RETURNING number`).get(team, name, session, token, socket, host, pid, started, realm, renewedAtMs, renewedTicksMs);
  return Number(row?.["number"]);
}

export function renewAddress({ statement }: CoordinationConnection, number: number, currentOwner: Owner): void {
  statement("UPDATE address SET renewed_at_ms = ?, renewed_ticks_ms = ? WHERE number = ?").run(
    currentOwner.renewedAtMs,
    currentOwner.renewedTicksMs,
    number,
  );
}

export function stopAddress({ statement }: CoordinationConnection, number: number): void {
  statement("UPDATE address SET state = 'stopped' WHERE number = ?").run(number);
}

/** Deletes the addresses with the mail that was sent to them. */
export function deleteTeam({ statement }: CoordinationConnection, team: string): void {
  statement("DELETE FROM message WHERE receiver IN (SELECT number FROM address WHERE team = ?)").run(team);
  statement("DELETE FROM address WHERE team = ?").run(team);
}

function toRow(row: Record<string, unknown> | undefined): AddressRow | undefined {
  if (row === undefined) return undefined;
  const { number, team, name, session, state } = row;
  return {
    number,
    team,
    name,
    session,
    state,
    ...present("socket", row["socket"]),
    process: readOwner(row),
  } as AddressRow;
}
