import { type Place, thisProcess } from "palimpsest/sqlite";
import type { CoordinationConnection } from "../coordination-connection.ts";
import type { CoordinationFile } from "../coordination-file.ts";
import {
  type Address,
  type AddressRow,
  readOwn,
  readTeam,
  renewAddress,
  stopAddress,
  toAddress,
} from "./address-rows.ts";
import {
  checkDraft,
  DEFAULT_RECEIVE_LIMIT,
  digestOf,
  type MailLimits,
  type Message,
  type MessageDraft,
  type Refused,
  refuseFull,
  refuseTakenId,
  refuseUnknown,
} from "./message.ts";
import { acknowledgeMessage, countWaiting, findSent, hasWaiting, insertMessage, readWaiting } from "./message-rows.ts";
import { type MailWait, waitForMail } from "./wait-for-mail.ts";
import type { WakeUp } from "./wake-up.ts";

/** Another process has registered this name, or this one has stopped: the mailbox is no longer usable. */
export interface Lost {
  readonly kind: "lost";
}

/** Who receives a message, or the reason why nobody does. */
export type SendOutcome =
  | {
      readonly kind: "sent";
      /** The receiver's current state. A `stopped` receiver must be woken by a process that can. */
      readonly receivers: readonly Address[];
      /** With `*`: the receivers whose mailboxes were full. */
      readonly full: readonly string[];
    }
  | Refused
  | Lost;

/** The mailbox of one agent: only this mailbox sends in the agent's name. */
export interface Mailbox {
  readonly team: string;
  readonly name: string;
  readonly session: string;
  /**
   * Resolves when the message is on the disk. A message that was sent before under the same id is acknowledged and not sent
   * again.
   */
  send(draft: MessageDraft): Promise<SendOutcome>;
  /**
   * Returns unacknowledged messages, oldest first: the same ones again until they are acknowledged. Messages of one sender keep
   * their order.
   */
  receive(options?: {
    readonly limit?: number;
  }): Promise<{ readonly kind: "received"; readonly messages: readonly Message[] } | Lost>;
  /** Call it when the messages are in the receiver's log (see `separateRecorded`). */
  acknowledge(keys: readonly string[]): Promise<"acknowledged" | "lost">;
  /** Waits until there is mail that `receive` has not returned here yet. `over`: the time is up, or the signal came. */
  wait(options?: MailWait): Promise<"mail" | "over" | "lost">;
  /** Stops the mailbox. Mail keeps arriving, for the next process that registers the name. */
  stop(): Promise<void>;
}

export interface MailboxOptions {
  readonly file: CoordinationFile;
  readonly place: Place;
  readonly wakeUp: WakeUp;
  readonly limits: MailLimits;
  readonly silentAfterMs: number;
  readonly address: Pick<AddressRow, "number" | "team" | "name" | "session">;
  readonly token: string;
}

// Only used if the system cannot say whether a process is alive; a fifth of the time after which it is given up.
const RENEW_EVERY_MS = 60_000;

export function createMailbox(options: MailboxOptions): Mailbox {
  const { file, place, wakeUp, limits, silentAfterMs, address, token } = options;
  const { number, team, name, session } = address;
  const ended = new AbortController();
  let receivedThrough = 0;
  let renewedTicksMs = place.processes.ticksMs();
  const own = (connection: CoordinationConnection): AddressRow | undefined => readOwn(connection, number, token);

  const renewIfDue = async (): Promise<void> => {
    const currentOwner = thisProcess(place);
    if (currentOwner.renewedTicksMs - renewedTicksMs < RENEW_EVERY_MS) return;
    renewedTicksMs = currentOwner.renewedTicksMs;
    // A full disk must not prevent reading.
    await file.write((connection) => own(connection) && renewAddress(connection, number, currentOwner)).catch(() => {});
  };
  const look = async (): Promise<"mail" | "none" | "lost"> => {
    await renewIfDue();
    return file.read((connection) => {
      if (own(connection) === undefined) return "lost";
      return hasWaiting(connection, number, receivedThrough) ? "mail" : "none";
    });
  };

  return {
    team,
    name,
    session,
    async send(draft) {
      const refused = checkDraft(draft, limits);
      if (refused !== undefined) return refused;
      const outcome = await file.write((connection): SendOutcome => {
        const sender = own(connection);
        return sender === undefined
          ? { kind: "lost" }
          : sendFrom(connection, { sender, draft, place, silentAfterMs, limits });
      });
      if (outcome.kind === "sent") wakeUp.ring();
      return outcome;
    },
    async receive({ limit = DEFAULT_RECEIVE_LIMIT } = {}) {
      await renewIfDue();
      return await file.read((connection) => {
        const row = own(connection);
        if (row === undefined) return { kind: "lost" };
        const waiting = readWaiting(connection, row, limit);
        receivedThrough = Math.max(receivedThrough, waiting.at(-1)?.number ?? 0);
        return { kind: "received", messages: waiting.map(({ message }) => message) };
      });
    },
    acknowledge: (keys) =>
      file.write((connection) => {
        // A replaced process must not take messages from its successor that it may not have logged itself.
        if (own(connection) === undefined) return "lost";
        for (const key of keys) acknowledgeMessage(connection, number, key);
        return "acknowledged";
      }),
    wait: (options) => waitForMail({ listen: wakeUp.listen, ended: ended.signal, look }, options),
    async stop() {
      if (ended.signal.aborted) return;
      // Waiters are notified even if the stop cannot be written; then it counts as running until its process ends.
      ended.abort();
      await file.write((connection) => own(connection) && stopAddress(connection, number));
    },
  };
}

interface Sending {
  readonly sender: AddressRow;
  readonly draft: MessageDraft;
  readonly place: Place;
  readonly silentAfterMs: number;
  readonly limits: MailLimits;
}

/** One transaction: a message to all reaches all of them, or none. */
function sendFrom(connection: CoordinationConnection, { sender, draft, limits, ...options }: Sending): SendOutcome {
  const { place, silentAfterMs } = options;
  const addressOf = (row: AddressRow): Address => toAddress(row, place, silentAfterMs);
  const team = readTeam(connection, sender.team);
  const before = findSent(connection, sender.session, draft.id);
  if (before !== undefined) {
    if (before.digest !== digestOf(draft)) return refuseTakenId(draft);
    const receivers = team.filter(({ number }) => before.receivers.includes(number));
    return { kind: "sent", receivers: receivers.map(addressOf), full: [] };
  }
  const wanted = team.filter((row) => (draft.to === "*" ? row.number !== sender.number : row.name === draft.to));
  const namesOf = (rows: readonly AddressRow[]): readonly string[] => rows.map(({ name }) => name);
  if (wanted.length === 0 && draft.to !== "*") return refuseUnknown(draft, namesOf(team));
  const { full = [], open = [] } = Object.groupBy(wanted, ({ number }) =>
    countWaiting(connection, number) >= limits.maxWaiting ? "full" : "open",
  );
  if (open.length === 0 && full.length > 0) return refuseFull(namesOf(full), limits);
  const nowMs = place.clock.now();
  for (const { number } of open) insertMessage(connection, { sender, receiver: number, draft, nowMs });
  return { kind: "sent", receivers: open.map(addressOf), full: namesOf(full) };
}
