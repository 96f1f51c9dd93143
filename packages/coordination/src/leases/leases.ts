import { randomUUID } from "node:crypto";
import { elapsedMs, holderHere, lookAt, type Place, silenceMs } from "palimpsest/sqlite";
import type { HomeFile } from "../home-file.ts";
import { createLease, type Lease } from "./lease.ts";
import { type LeaseHolder, type LeaseRow, markDone, markScan, readLease, takeLease, toHolder } from "./lease-rows.ts";
import { type LeaseTries, readTries } from "./lease-tries.ts";

export type TakeResult =
  | { readonly kind: "taken"; readonly lease: Lease }
  | { readonly kind: "held"; readonly by: LeaseHolder };

/** What a gate needs to know. */
export interface LeaseState extends LeaseTries {
  /** When the work that was last brought to its end began; by a wall clock. Read it with `elapsedMs`. */
  readonly lastDoneAtMs?: number;
  readonly lastScanAtMs?: number;
  /** As the row has it: whether it still counts is found out by taking. */
  readonly holder?: LeaseHolder;
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
  readonly file: HomeFile;
  readonly place: Place;
  readonly silentAfterMs: number;
  readonly onTaken: (lease: Lease) => void;
}

export function createLeases({ file, place, silentAfterMs, onTaken }: LeasesOptions): Leases {
  const lossOf = (row: LeaseRow): "gone" | "silent" | undefined => {
    if (lookAt(row.process, place) === "gone") return "gone";
    return silenceMs(row.process, place) >= silentAfterMs ? "silent" : undefined;
  };
  return {
    async take(name, { owner }) {
      const holder = randomUUID();
      const result = await file.write((connection): LeaseHolder | Lease => {
        const before = readLease(connection, name);
        const isHeld = before?.state === "held";
        const because = isHeld ? lossOf(before) : undefined;
        if (isHeld && because === undefined) return toHolder(before);
        const process = holderHere(place);
        const generation = (before?.generation ?? 0) + 1;
        const takenAtMs = process.renewedAtMs;
        takeLease(connection, name, { generation, holder, owner, takenAtMs, process });
        const { lastDoneAtMs } = before ?? {};
        return createLease(file, place, {
          name,
          generation,
          holder,
          takenAtMs,
          failures: readTries(connection, name).failures,
          ...(lastDoneAtMs === undefined ? {} : { lastDoneAtMs }),
          ...(isHeld && because !== undefined ? { reclaimed: { from: toHolder(before), because } } : {}),
        });
      });
      if (!("generation" in result)) return { kind: "held", by: result };
      onTaken(result);
      return { kind: "taken", lease: result };
    },
    read: (name) =>
      file.read((connection) => {
        const row = readLease(connection, name);
        const tries = readTries(connection, name);
        if (row === undefined) return tries;
        const { state, lastDoneAtMs, lastScanAtMs } = row;
        return {
          ...tries,
          ...(lastDoneAtMs === undefined ? {} : { lastDoneAtMs }),
          ...(lastScanAtMs === undefined ? {} : { lastScanAtMs }),
          ...(state === "held" ? { holder: toHolder(row) } : {}),
        };
      }),
    confirm: (name) =>
      file.write((connection) => {
        const { lastTriedAtMs } = readTries(connection, name);
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
