import assert from "node:assert/strict";
import type { Coordination } from "../coordination.ts";
import type { Lease } from "../leases/lease.ts";
import type { Mailbox } from "../mail/mailbox.ts";
import type { Message } from "../mail/message.ts";

/** A new, empty place that processes share, and a clock that the test moves. */
export interface CoordinationPlace {
  /** Opens the shared state as one more process. Whatever is opened is closed by the place. */
  open(options?: OpenPlaceOptions): Promise<Coordination>;
  nowMs(): number;
  advanceClock(byMs: number): void;
  /** After this long without a renewal a lease is free, and a name that belongs to a mailbox. No other sign frees them here. */
  readonly silentAfterMs: number;
  /** Called at the end of a case, whether it passed or not. */
  remove(): Promise<void>;
}

/** Limits of the place that a case of the contract suite opens. */
export interface OpenPlaceOptions {
  /** How many messages may wait for one agent. @default many more than a case sends */
  readonly maxWaiting?: number;
}

/** Runs one case of the contract in a new place. */
export type CoordinationCheck = (name: string, run: (place: CoordinationPlace) => Promise<void>) => void;

export async function take({ leases }: Coordination, owner = "session"): Promise<Lease> {
  const result = await leases.take("dream", { owner });
  assert.ok(result.kind === "taken", `the lease is held: ${JSON.stringify(result)}`);
  return result.lease;
}

export async function openMany(place: CoordinationPlace, count: number): Promise<readonly Coordination[]> {
  return Promise.all(Array.from({ length: count }, () => place.open()));
}

export async function register(
  { mailboxes }: Coordination,
  name: string,
  { team = "team", session = `session-of-${name}` }: { readonly team?: string; readonly session?: string } = {},
): Promise<Mailbox> {
  const result = await mailboxes.register({ team, name, session });
  assert.ok(result.kind === "registered", `the name is taken: ${JSON.stringify(result)}`);
  return result.mailbox;
}

export async function receive(mailbox: Mailbox, limit?: number): Promise<readonly Message[]> {
  const result = await mailbox.receive(limit === undefined ? {} : { limit });
  assert.ok(result.kind === "received", "the mailbox is lost");
  return result.messages;
}

export async function acknowledge(mailbox: Mailbox, messages: readonly Message[]): Promise<string> {
  return await mailbox.acknowledge(messages.map(({ key }) => key));
}

export function bodies(messages: readonly Message[]): readonly string[] {
  return messages.map(({ body }) => body);
}
