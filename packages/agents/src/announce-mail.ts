import type { Mailbox, Message } from "@palimpsest/coordination";
import type { Session } from "palimpsest";

export interface AnnounceMailOptions {
  readonly mailbox: Pick<Mailbox, "receive"> & Partial<Pick<Mailbox, "wait">>;
  readonly session: Pick<Session, "events">;
}

export interface MailAnnouncements {
  /** Notifies the session's listeners of messages, each once. */
  announce(messages: readonly Pick<Message, "key" | "from">[]): void;
  /** Waits until there is a message without a notification. It stays in place: the next turn takes it in. */
  wait(signal: AbortSignal): Promise<"mail" | "over">;
}

/** The notification comes with the mail if somebody waits for it, otherwise when a turn takes it in. */
export function announceMail({ mailbox, session }: AnnounceMailOptions): MailAnnouncements {
  const told = new Set<string>();

  function announce(messages: readonly Pick<Message, "key" | "from">[]): number {
    const news = messages.filter(({ key }) => !told.has(key));
    for (const { key } of news) told.add(key);
    const from = [...new Set(news.map((message) => message.from.name))];
    if (news.length > 0) session.events.emit({ kind: "mail-arrived", count: news.length, from });
    return news.length;
  }

  return {
    announce,
    async wait(signal) {
      for (;;) {
        if (mailbox.wait === undefined || (await mailbox.wait({ signal })) !== "mail") return "over";
        const received = await mailbox.receive();
        if (received.kind === "lost") return "over";
        if (announce(received.messages) > 0) return "mail";
      }
    },
  };
}
