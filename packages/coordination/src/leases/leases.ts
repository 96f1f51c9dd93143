import { randomUUID } from "node:crypto";
import { elapsedMs, type Place, processState, silenceMs, thisProcess } from "palimpsest/sqlite";
import type { CoordinationFile } from "../coordination-file.ts";
import { createLease, type Lease } from "./lease.ts";
import { type LeaseAttempts, readAttempts } from "./lease-attempts.ts";
import { type LeaseOwner, type LeaseRow, markDone, markScan, readLease, takeLease, toOwner } from "./lease-rows.ts";

export type TakeResult =
  | { readonly kind: "taken"; readonly lease: Lease }
  | { readonly kind: "held"; readonly by: LeaseOwner };

/** What a gate needs to know. */
export interface LeaseState extends LeaseAttempts {
  /** When the work that was last brought to its end began; by a wall clock. Read it with `elapsedMs`. */
  readonly lastDoneAtMs?: number;
  readonly lastScanAtMs?: number;
  /** As the row has it: whether it still counts is found out by taking. */
  readonly holder?: LeaseOwner;
}

/**
 * One at a time, over all processes of a home. A lease is held as long as its holder renews it. It is taken from a
 * holder whose process is gone at once: number, start and boot make that a fact, and there is nothing to wait for. From one
 * that may be alive, after `silentAfterMs` without a renewal. That may be wrong (a process that was stopped wakes
 * again); so every taking has a higher generation, and what the former holder does through its lease is refused from then on.
 */
export interface Leases {
  /** @param owner names the holder for people */
  take(name: string, holder: { readonly owner: string }): Promise<TakeResult>;
  read(name: string): Promise<LeaseState>;
  /** What waited for a yes has had it: the time of the newest try is that of the last work. */
  confirm(name: string): Promise<void>;
  /** Writes down that now is looked whether there is work, unless somebody did within `everyMs`. */
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
