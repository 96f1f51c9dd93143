import assert from "node:assert/strict";
import type { Lease } from "../leases/lease.ts";
import type { Coordination } from "../open-coordination.ts";

/** A new, empty place that processes share, and a clock that the test moves. */
export interface CoordinationPlace {
  /** Opens the shared state as one more process. Whatever is opened is closed by the place. */
  open(): Promise<SharedState>;
  nowMs(): number;
  advanceClock(byMs: number): void;
  /** After this long without a renewal a lease is free. */
  readonly silentAfterMs: number;
  /** Called at the end of a case, whether it passed or not. */
  remove(): Promise<void>;
}

export type SharedState = Pick<Coordination, "leases" | "budgets" | "close">;

/** Runs one case of the contract in a new place. */
export type CoordinationCheck = (name: string, run: (place: CoordinationPlace) => Promise<void>) => void;

export async function take({ leases }: SharedState, owner = "session"): Promise<Lease> {
  const result = await leases.take("dream", { owner });
  assert.ok(result.kind === "taken", `the lease is held: ${JSON.stringify(result)}`);
  return result.lease;
}

export async function openMany(place: CoordinationPlace, count: number): Promise<readonly SharedState[]> {
  return Promise.all(Array.from({ length: count }, () => place.open()));
}
