import { createRings, type Listen } from "../rings.ts";

/** How long to wait for mail. */
export interface MailWait {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface WaitForMailOptions {
  readonly listen: Listen;
  /** Aborted when the mailbox is stopped here. */
  readonly ended: AbortSignal;
  look(): Promise<"mail" | "none" | "lost">;
}

/** Looks for mail whenever something may have arrived, until there is some or the wait is over. */
export async function waitForMail(
  { listen, ended, look }: WaitForMailOptions,
  { timeoutMs, signal }: MailWait = {},
): Promise<"mail" | "over" | "lost"> {
  const limits = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)];
  const over = AbortSignal.any([ended, ...limits.filter((each) => each !== undefined)]);
  // Listens before it looks: a message that arrives in between wakes it.
  const rings = createRings(listen);
  try {
    for (;;) {
      if (ended.aborted) return "lost";
      rings.reset();
      const found = await look();
      if (found !== "none") return found;
      if (over.aborted) return ended.aborted ? "lost" : "over";
      await rings.next(over);
    }
  } finally {
    rings.stop();
  }
}
