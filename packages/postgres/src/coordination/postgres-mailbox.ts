import {
  type Address,
  isName,
  type Mailbox,
  type Message,
  type MessageDraft,
  type SendOutcome,
} from "@palimpsest/coordination";

import {
  checkDraft,
  DEFAULT_RECEIVE_LIMIT,
  digestOf,
  fromKey,
  isId,
  type Listen,
  type MailLimits,
  refuseFull,
  refuseTakenId,
  refuseUnknown,
  toKey,
  waitForMail,
} from "@palimpsest/coordination/parts";
import type { Database, Row } from "../database.ts";
import { DatabaseError } from "../database-error.ts";
import type { TenantSeals } from "../key-ring/tenant-seals.ts";

export interface PostgresMailOptions {
  readonly database: Database;
  readonly tenant: string;
  readonly silentAfterMs: number;
  /** How often to look for mail while somebody waits for it. */
  readonly pollMs: number;
  readonly limits: MailLimits;
  readonly seals: TenantSeals;
  nowMs(): number | null;
}

export interface PostgresMailboxOptions extends PostgresMailOptions {
  readonly address: Pick<Address, "team" | "name" | "session">;
  readonly token: string;
}

/** A process that does nothing else with its mailbox still says this often that it is alive, in parts of the allowed silence. */
const RENEWALS = 3;

export function createPostgresMailbox(options: PostgresMailboxOptions): Mailbox {
  const { database, tenant, address, token, silentAfterMs, pollMs, limits, seals, nowMs } = options;
  const { team, name, session } = address;
  const own = [tenant, team, name, token];
  const renewMs = silentAfterMs / RENEWALS;
  const ended = new AbortController();
  let receivedThrough = 0;
  let lastSent: Promise<unknown> = Promise.resolve();

  const look = async (): Promise<"mail" | "none" | "lost"> => {
    const [row] = await database.call("look_for_mail", [...own, receivedThrough, nowMs(), renewMs]);
    return row?.["look_for_mail"] as "mail" | "none" | "lost";
  };
  // A server that restarts is there again at one of the next looks. Whoever waits has nothing else to do.
  const lookAgainLater = (): Promise<"mail" | "none" | "lost"> =>
    look().catch((error: unknown) => {
      if (DatabaseError.isInstance(error) && error.reason === "unreachable") return "none";
      throw error;
    });
  // A missed renewal costs nothing: the next one tries again.
  const renewal = setInterval(() => void look().catch(() => undefined), renewMs).unref();

  async function sendNow(draft: MessageDraft): Promise<SendOutcome> {
    const { to, id, kind = "message", inReplyTo = null, summary, body } = draft;
    const seal = async (text: string, what: string) =>
      toBytes(await seals.sealPayload(text, ["mail", team, session, id, what]));
    const [digest] = await seals.namesOf(digestOf(draft), ["mail", team, session]);
    const short = summary === undefined ? null : await seal(summary, "summary");
    const content = [digest, kind, inReplyTo, short, await seal(body, "body")];
    // No other text can be an address, nor be a text of PostgreSQL in any case.
    const receiver = to === "*" || isName(to) ? to : "";
    const values = [...own, receiver, id, ...content, limits.maxWaiting, nowMs(), silentAfterMs];
    return toOutcome(draft, await database.call("send_message", values), options);
  }

  async function toMessage(row: Row): Promise<Message> {
    const [id, sender, from] = [String(row["id"]), String(row["sender_name"]), String(row["sender_session"])];
    const { summary, in_reply_to: inReplyTo } = row;
    const open = async (bytes: unknown, what: string): Promise<string> =>
      (await seals.openPayload(toText(bytes), ["mail", team, from, id, what])) ?? "[The key of this text is lost.]";
    return {
      key: toKey(from, id),
      id,
      from: { kind: "agent", team, name: sender, session: from },
      kind: row["kind"] as Message["kind"],
      body: await open(row["body"], "body"),
      ...(summary === null ? {} : { summary: await open(summary, "summary") }),
      ...(inReplyTo === null ? {} : { inReplyTo: String(inReplyTo) }),
      sentAtMs: Number(row["sent_at_ms"]),
    };
  }

  return {
    team,
    name,
    session,
    send(draft) {
      const refused = checkDraft(draft, limits);
      if (refused !== undefined) return Promise.resolve(refused);
      // One after the other: connections of a pool would not keep the order.
      const sent = lastSent.then(() => sendNow(draft));
      lastSent = sent.catch(() => undefined);
      return sent;
    },
    async receive({ limit = DEFAULT_RECEIVE_LIMIT } = {}) {
      const rows = await database.call("receive_messages", [...own, limit, nowMs(), renewMs]);
      if (rows.length === 0) return { kind: "lost" };
      const found = rows.filter((row) => row["number"] !== null);
      receivedThrough = Math.max(receivedThrough, Number(found.at(-1)?.["number"] ?? 0));
      return { kind: "received", messages: await Promise.all(found.map(toMessage)) };
    },
    async acknowledge(keys) {
      const seen = keys.map(fromKey).filter((key) => isId(key.session) && isId(key.id));
      const [sessions, ids] = [seen.map((key) => key.session), seen.map(({ id }) => id)];
      const [row] = await database.call("acknowledge_messages", [...own, sessions, ids, nowMs(), renewMs]);
      return row?.["acknowledge_messages"] === true ? "acknowledged" : "lost";
    },
    wait: (wait) => waitForMail({ listen: pollEvery(pollMs), ended: ended.signal, look: lookAgainLater }, wait),
    async stop() {
      if (ended.signal.aborted) return;
      // Waiters are notified even if the stop cannot be written; then it counts as running until it was silent for long.
      ended.abort();
      clearInterval(renewal);
      await database.call("stop_address", own);
    },
  };
}

function pollEvery(pollMs: number): Listen {
  return (onRing) => {
    const timer = setInterval(onRing, pollMs);
    return { stop: () => clearInterval(timer) };
  };
}

function toOutcome(
  draft: MessageDraft,
  rows: readonly Row[],
  { address, limits }: PostgresMailboxOptions,
): SendOutcome {
  const { team } = address;
  const { sent = [], full = [], ...other } = Object.groupBy(rows, (row) => String(row["outcome"]));
  const namesOf = (named: readonly Row[]): readonly string[] => named.map((row) => String(row["name"]));
  if (other["lost"] !== undefined) return { kind: "lost" };
  if (other["id-taken"] !== undefined) return refuseTakenId(draft);
  if (other["no-such-address"] !== undefined) return refuseUnknown(draft, namesOf(other["no-such-address"]));
  if (sent.length === 0 && full.length > 0) return refuseFull(namesOf(full), limits);
  return { kind: "sent", receivers: sent.map((row) => toAddress(team, row)), full: namesOf(full) };
}

export function toAddress(team: string, row: Row): Address {
  const { name, session, state, socket, host, pid } = row;
  return { team, name, session, state, ...(socket === null ? {} : { socket }), host, pid } as Address;
}

function toBytes(text: string): Buffer {
  return Buffer.from(text);
}

function toText(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array).toString();
}
