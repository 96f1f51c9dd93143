import type { Owner } from "palimpsest/sqlite";

/** The columns of an owner, in every table that has one. */
export function readOwner(row: Record<string, unknown>): Owner {
  const { host, pid, started, realm, renewed_at_ms: renewedAtMs, renewed_ticks_ms: renewedTicksMs } = row;
  const marks = { ...present("started", started), ...present("realm", realm) };
  return { host, pid, ...marks, renewedAtMs, renewedTicksMs } as Owner;
}

/** An absent column is an absent property. */
export function present(name: string, value: unknown): Record<string, unknown> {
  return value === null ? {} : { [name]: value };
}
