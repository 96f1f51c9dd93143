import { isId, toKey } from "../mail/message.ts";

/** Another session, or another program with the token. */
export interface PeerSender {
  readonly kind: "peer";
  /** The name that the peer gives itself. It has proved that it knows the token, not its name. */
  readonly says: string;
}

/** A message from outside of any team: plain text, never a step in the life of an agent. */
export interface PeerMessage {
  readonly key: string;
  readonly id: string;
  readonly from: PeerSender;
  readonly body: string;
  readonly summary?: string;
}

/** A message to another session of this machine. */
export interface PeerDraft {
  /** Valid forever: a message that comes again under the same id and name has the same key. */
  readonly id: string;
  /** The sender's own name: its session. */
  readonly from: string;
  readonly body: string;
  readonly summary?: string;
}

export function encodeDraft({ id, from, body, summary }: PeerDraft): Buffer {
  return Buffer.from(JSON.stringify({ id, from, body, ...(summary === undefined ? {} : { summary }) }));
}

/** Parses the message; everything else is dropped. */
export function decodeDraft(bytes: Buffer): PeerMessage | undefined {
  let found: unknown;
  try {
    // Invalid UTF-8 must not become a text that only looks like the original.
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
  if (typeof found !== "object" || found === null) return undefined;
  const { id, from, body, summary } = found as Record<string, unknown>;
  if (!isWellFormedText(id) || !isWellFormedText(from) || !isWellFormedText(body)) return undefined;
  if (!isId(id) || !isId(from) || !(summary === undefined || isWellFormedText(summary))) return undefined;
  // No session of an agent has a name like this: a peer is never taken for an agent.
  const key = toKey(`uds:${from}`, id);
  return { key, id, from: { kind: "peer", says: from }, body, ...(summary === undefined ? {} : { summary }) };
}

function isWellFormedText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}
