import { type Place, thisProcess } from "palimpsest/sqlite";
import type { CoordinationConnection } from "../coordination-connection.ts";
import type { CoordinationFile } from "../coordination-file.ts";
import { noteAttempt } from "./lease-attempts.ts";
import { freeLease, type LeaseOwner, readLease, renewLease } from "./lease-rows.ts";

/** What is known of a lease when it is taken. */
export interface LeaseFacts {
  readonly name: string;
  /** Rises with every taking, never falls. Whoever keeps the highest it has seen can refuse a late writer by itself. */
  readonly generation: number;
  readonly takenAtMs: number;
  /** When the work that was last brought to its end began. */
  readonly lastDoneAtMs?: number;
  /** How many tries in a row have failed. */
  readonly failures: number;
  /** Whom it was taken from: `gone`, its process had ended; `silent`, it had not renewed the lease. */
  readonly reclaimed?: { readonly from: LeaseOwner; readonly because: "gone" | "silent" };
}

export type LeaseOutcome = "done" | "held" | "failed" | "killed";

export type Guarded<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "lost" };

/** A lease that was taken. Once it is lost it stays lost. */
export interface Lease extends LeaseFacts {
  /** Says that its holder is alive. */
  renew(): Promise<"held" | "lost">;
  check(): Promise<"held" | "lost">;
  /**
   * Writes only if the lease is still held, and nobody can take it before the write is over. The whole home is locked for
   * other writers meanwhile: keep it short, and neither ask a model nor use the home within.
   */
  guard<T>(write: () => T | Promise<T>): Promise<Guarded<T>>;
  /**
   * Gives it back. `done`: the time at which it was taken is kept as that of the last work, so that what has changed
   * since is looked at the next time. `held`: the work waits for a yes; `failed`: nothing came of it. For both the time of
   * the last work stays what it was, and that of the last try is kept, so that whoever comes next waits as long; those
   * that fail in a row are counted. `killed`: as if nothing had been begun. So it is when a process dies without a word.
   */
  finish(outcome: LeaseOutcome): Promise<"finished" | "lost">;
}

export function createLease(
  file: CoordinationFile,
  place: Place,
  facts: LeaseFacts & { readonly holder: string },
): Lease {
  const { holder, ...told } = facts;
  const { name, generation, takenAtMs } = told;
  // The holder too: in a file that was made anew generations begin at 1 again.
  const isHeld = (connection: CoordinationConnection): boolean => {
    const row = readLease(connection, name);
    return row?.state === "held" && row.generation === generation && row.holder === holder;
  };
  return {
    ...told,
    renew: () =>
      file.write((connection) => {
        if (!isHeld(connection)) return "lost";
        renewLease(connection, name, thisProcess(place));
        return "held";
      }),
    check: () => file.read((connection) => (isHeld(connection) ? "held" : "lost")),
    guard: (write) =>
      file.hold(async (connection) => (isHeld(connection) ? { kind: "done", value: await write() } : { kind: "lost" })),
    finish: (outcome) =>
      file.write((connection) => {
        if (!isHeld(connection)) return "lost";
        freeLease(connection, name, outcome === "done" ? takenAtMs : undefined);
        if (outcome !== "killed") noteAttempt(connection, name, { outcome, atMs: takenAtMs });
        return "finished";
      }),
  };
}
