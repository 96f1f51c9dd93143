import { type Mailbox, separateRecorded } from "@palimpsest/coordination";
import type { Inbox, Session, Store } from "palimpsest";
import { quoteFact, readPayload } from "palimpsest/inspect";
import type { Entry } from "palimpsest/store-parts";
import { toAttachment } from "./agent-message.ts";
import type { MailAnnouncements } from "./announce-mail.ts";
import { keysIn, MESSAGE } from "./data-marks.ts";

export interface MailboxInboxOptions {
  readonly mailbox: Pick<Mailbox, "receive" | "acknowledge">;
  /** The session whose log takes the mail. */
  readonly session: Pick<Session, "id" | "view">;
  readonly store: Pick<Store, "openReader">;
  /** Notified of messages before they are taken in. */
  readonly announce: MailAnnouncements["announce"];
}

/**
 * Takes in mail of other processes. A message is written to the log first and acknowledged then, so none is lost. A message
 * that comes again because a process died in between is found in the log by its key, so none is seen twice.
 */
export function mailboxInbox(options: MailboxInboxOptions): Inbox {
  const { mailbox, announce } = options;
  /** Keys that this process has written or found. */
  const known = new Set<string>();
  return {
    async deliver(session) {
      const received = await mailbox.receive();
      if (received.kind === "lost" || received.messages.length === 0) return 0;
      const { messages } = received;
      const strange = messages.map(({ key }) => key).filter((key) => !known.has(key));
      for (const key of await findRecorded(strange, options)) known.add(key);
      const { fresh, recorded } = separateRecorded(messages, (key) => known.has(key));
      const contents = fresh.map(({ from, ...message }) => toAttachment({ ...message, from: from.name }));
      announce(fresh);
      if (contents.length > 0) await session.append(contents, { answer: "wanted" });
      for (const { key } of fresh) known.add(key);
      await mailbox.acknowledge([...recorded, ...fresh].map(({ key }) => key));
      return fresh.length;
    },
  };
}

/** Returns which of the keys are in the log, shown or compacted. */
export async function findRecorded(
  keys: readonly string[],
  { session, store }: Pick<MailboxInboxOptions, "session" | "store">,
): Promise<readonly string[]> {
  const shown = keysIn(session.view.attached(MESSAGE));
  const log = await store.openReader(session.id);
  try {
    const found = await Promise.all(
      keys.map(async (key) => {
        const written = quoteFact(key);
        if (shown.has(written) || log === undefined) return shown.has(written);
        const hits = await log.search(`"${written}"`, { limit: 20 });
        const entries = await Promise.all(hits.map(({ sequence }) => log.read(sequence, sequence)));
        return entries.flat().some((entry) => isOf(entry, written));
      }),
    );
    return keys.filter((_, at) => found[at]);
  } finally {
    await log?.close();
  }
}

/** Only tags that we have written count, not the text of a message. */
function isOf(entry: Entry, written: string): boolean {
  const read = readPayload(entry);
  if (read.kind !== "attachment" || read.payload.type !== MESSAGE) return false;
  return keysIn(read.payload.blocks.flatMap((block) => (block.kind === "text" ? block.text : []))).has(written);
}
