import { type Place, thisProcess } from "palimpsest/sqlite";
import type { CoordinationConnection } from "../coordination-connection.ts";
import type { CoordinationFile } from "../coordination-file.ts";
import { noteAttempt } from "./lease-attempts.ts";
import { freeLease, type LeaseOwner, readLease, renewLease } from "./lease-rows.ts";

/** Information about a lease at the time it is taken. */
export interface LeaseFacts {
  readonly name: string;
  /**
   * Increases with every acquisition, never decreases. A resource that keeps the highest number can refuse a late writer by
   * itself.
   */
  readonly generation: number;
  readonly takenAtMs: number;
  /** When the last finished work began. */
  readonly lastDoneAtMs?: number;
  /** The number of failed attempts in a row. */
  readonly failures: number;
  /** The previous owner: `gone`, its process had ended; `silent`, it had not renewed the lease. */
  readonly reclaimed?: { readonly from: LeaseOwner; readonly because: "gone" | "silent" };
}

/** How the work of a lease ended. */
export type LeaseOutcome = "done" | "held" | "failed" | "killed";

/** The value of work that ran under a lease, or the news that the lease was lost. */
export type Guarded<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "lost" };

/** An acquired lease. Once it is lost it stays lost. */
export interface Lease extends LeaseFacts {
  /** Renews the lease. */
  renew(): Promise<"held" | "lost">;
  check(): Promise<"held" | "lost">;
  /**
   * Writes only if the lease is still held; nobody can take it before the write ends. All other writers of the store are locked
   * meanwhile: keep it short, and neither ask a model nor use the store inside.
   */
  guard<T>(write: () => T | Promise<T>): Promise<Guarded<T>>;
  /**
   * Releases the lease. `done`: the time at which it was taken becomes the time of the last work, so that later changes are
   * handled next time. `held`: the work waits for approval. `failed`: the work failed. Both keep the time of the last work and
   * record the time of the last attempt, so that the next attempt waits as long; failures in a row are counted. `killed`: as if
   * nothing had started. A process that dies without a release counts as `killed`.
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
  // The owner, too: in a recreated file, generations start at 1 again.
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
