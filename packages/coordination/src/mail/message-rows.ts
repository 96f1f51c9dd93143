import type { CoordinationConnection } from "../coordination-connection.ts";
import { present } from "../owner-columns.ts";
import type { AddressRow } from "./address-rows.ts";
import { digestOf, fromKey, type Message, type MessageDraft, toKey } from "./message.ts";

// The number of acknowledged message ids kept for each sender, to recognize a repeated message. By number and not by age: a
// clock that jumps must not make the file forget.
const KNOWN_IDS = 1_000;
// How often older ids are deleted, in messages of the whole file.
const FORGET_EVERY = 64;

/** The earlier message under this id: its digest and its receiver. */
export function findSent(
  { statement }: CoordinationConnection,
  session: string,
  id: string,
): { digest: string; receivers: readonly number[] } | undefined {
  const rows = statement("SELECT digest, receiver FROM message WHERE sender_session = ? AND id = ?").all(session, id);
  const [first] = rows;
  return first && { digest: String(first["digest"]), receivers: rows.map(({ receiver }) => Number(receiver)) };
}

export function countWaiting({ statement }: CoordinationConnection, receiver: number): number {
  const row = statement("SELECT count(*) AS count FROM message WHERE receiver = ? AND state = 'waiting'").get(receiver);
  return Number(row?.["count"]);
}

export function insertMessage(
  connection: CoordinationConnection,
  { sender, receiver, draft, nowMs }: { sender: AddressRow; receiver: number; draft: MessageDraft; nowMs: number },
): void {
  const { id, kind = "message", body, summary = null, inReplyTo = null } = draft;
  const { lastInsertRowid } = connection
    .statement(`INSERT INTO message (receiver, sender_name, sender_session, id, digest, state, sent_at_ms, kind, in_reply_to,
    summary, body) VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?)`)
    .run(
      receiver,
      sender.name,
      sender.session,
      id,
      digestOf(draft),
      nowMs,
      kind,
      inReplyTo,
      summary,
      Buffer.from(body),
    );
  if (Number(lastInsertRowid) % FORGET_EVERY === 0) forgetOld(connection, sender.session);
}

/** Waiting messages, in sending order. */
export function readWaiting(
  { statement }: CoordinationConnection,
  { number, team }: AddressRow,
  limit: number,
): NumberedMessage[] {
  return statement("SELECT * FROM message WHERE receiver = ? AND state = 'waiting' ORDER BY number LIMIT ?")
    .all(number, limit)
    .map((row) => toMessage(row, team));
}

export interface NumberedMessage {
  readonly number: number;
  readonly message: Message;
}

export function hasWaiting({ statement }: CoordinationConnection, receiver: number, after: number): boolean {
  const sql = "SELECT 1 FROM message WHERE receiver = ? AND state = 'waiting' AND number > ? LIMIT 1";
  return statement(sql).get(receiver, after) !== undefined;
}

/** The id of an acknowledged message stays; its text is deleted. */
export function acknowledgeMessage({ statement }: CoordinationConnection, receiver: number, key: string): void {
  const { session, id } = fromKey(key);
  statement(`UPDATE message SET state = 'acknowledged', summary = NULL, body = NULL
    WHERE sender_session = ? AND id = ? AND receiver = ?`).run(session, id, receiver);
}

function forgetOld({ statement }: CoordinationConnection, session: string): void {
  statement(`DELETE FROM message WHERE sender_session = :session AND state = 'acknowledged' AND number <=
    (SELECT number FROM message WHERE sender_session = :session AND state = 'acknowledged'
      ORDER BY number DESC LIMIT 1 OFFSET ${KNOWN_IDS})`).run({ session });
}

function toMessage(row: Record<string, unknown>, team: string): NumberedMessage {
  const { number, id, kind, sent_at_ms: sentAtMs } = row;
  const [name, session] = [String(row["sender_name"]), String(row["sender_session"])];
  const message = {
    key: toKey(session, String(id)),
    id,
    from: { kind: "agent", team, name, session },
    kind,
    body: Buffer.from(row["body"] as Uint8Array).toString(),
    ...present("summary", row["summary"]),
    ...present("inReplyTo", row["in_reply_to"]),
    sentAtMs,
  };
  return { number: Number(number), message: message as Message };
}
