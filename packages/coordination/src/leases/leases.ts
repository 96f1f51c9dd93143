import { randomUUID } from "node:crypto";
import { elapsedMs, type Place, processState, silenceMs, thisProcess } from "palimpsest/sqlite";
import type { CoordinationFile } from "../coordination-file.ts";
import { createLease, type Lease } from "./lease.ts";
import { type LeaseAttempts, readAttempts } from "./lease-attempts.ts";
import { type LeaseOwner, type LeaseRow, markDone, markScan, readLease, takeLease, toOwner } from "./lease-rows.ts";

/** The lease, or the owner that has it. */
export type TakeResult =
  | { readonly kind: "taken"; readonly lease: Lease }
  | { readonly kind: "held"; readonly by: LeaseOwner };

/** The information that a gate needs. */
export interface LeaseState extends LeaseAttempts {
  /** When the last finished work began, by a wall clock. Read it with `elapsedMs`. */
  readonly lastDoneAtMs?: number;
  readonly lastScanAtMs?: number;
  /** The owner by the row: only an attempt to take the lease shows whether it still counts. */
  readonly holder?: LeaseOwner;
}

/**
 * Mutual exclusion over all processes of a coordination store. A lease is held as long as its owner renews it. If the owner's
 * process is gone, the lease is taken at once: number, start time and boot prove it. If the owner may be alive, it is taken
 * after `silentAfterMs` without a renewal. That may be wrong (a suspended process wakes up), so every acquisition has a higher
 * generation, and writes of the former owner through its lease are refused.
 */
export interface Leases {
  /** @param owner names the owner for people */
  take(name: string, holder: { readonly owner: string }): Promise<TakeResult>;
  read(name: string): Promise<LeaseState>;
  /** The held work was approved: the time of the newest attempt becomes that of the last work. */
  confirm(name: string): Promise<void>;
  /** Records that a check for work happens now, unless one happened within `everyMs`. */
  touch(name: string, options: { readonly everyMs: number }): Promise<"touched" | "recent">;
}

export interface LeasesOptions {
  readonly file: CoordinationFile;
  readonly place: Place;
  readonly silentAfterMs: number;
  readonly onTaken: (lease: Lease) => void;
}

export function createLeases({ file, place, silentAfterMs, onTaken }: LeasesOptions): Leases {
  const lossOf = (row: LeaseRow): "gone" | "silent" | undefined => {
    if (processState(row.process, place) === "gone") return "gone";
    return silenceMs(row.process, place) >= silentAfterMs ? "silent" : undefined;
  };
  return {
    async take(name, { owner }) {
      const holder = randomUUID();
      const result = await file.write((connection): LeaseOwner | Lease => {
        const before = readLease(connection, name);
        const isHeld = before?.state === "held";
        const because = isHeld ? lossOf(before) : undefined;
        if (isHeld && because === undefined) return toOwner(before);
        const process = thisProcess(place);
        const generation = (before?.generation ?? 0) + 1;
        const takenAtMs = process.renewedAtMs;
        takeLease(connection, name, { generation, holder, owner, takenAtMs, process });
        const { lastDoneAtMs } = before ?? {};
        return createLease(file, place, {
          name,
          generation,
          holder,
          takenAtMs,
          failures: readAttempts(connection, name).failures,
          ...(lastDoneAtMs === undefined ? {} : { lastDoneAtMs }),
          ...(isHeld && because !== undefined ? { reclaimed: { from: toOwner(before), because } } : {}),
        });
      });
      if (!("generation" in result)) return { kind: "held", by: result };
      onTaken(result);
      return { kind: "taken", lease: result };
    },
    read: (name) =>
      file.read((connection) => {
        const row = readLease(connection, name);
        const tries = readAttempts(connection, name);
        if (row === undefined) return tries;
        const { state, lastDoneAtMs, lastScanAtMs } = row;
        return {
          ...tries,
          ...(lastDoneAtMs === undefined ? {} : { lastDoneAtMs }),
          ...(lastScanAtMs === undefined ? {} : { lastScanAtMs }),
          ...(state === "held" ? { holder: toOwner(row) } : {}),
        };
      }),
    confirm: (name) =>
      file.write((connection) => {
        const { lastTriedAtMs } = readAttempts(connection, name);
        if (lastTriedAtMs !== undefined) markDone(connection, name, lastTriedAtMs);
      }),
    touch: (name, { everyMs }) =>
      file.write((connection) => {
        const nowMs = place.clock.now();
        if (elapsedMs(readLease(connection, name)?.lastScanAtMs, nowMs) < everyMs) return "recent";
        markScan(connection, name, nowMs);
        return "touched";
      }),
  };
}
