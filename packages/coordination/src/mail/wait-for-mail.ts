import type { WakeUp } from "./wake-up.ts";

export interface MailWait {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface WaitForMailOptions {
  readonly wakeUp: Pick<WakeUp, "listen">;
  /** Aborted when the mailbox is stopped here. */
  readonly ended: AbortSignal;
  look(): Promise<"mail" | "none" | "lost">;
}

/** Looks for mail whenever something may have arrived, until there is some or the wait is over. */
export async function waitForMail(
  { wakeUp, ended, look }: WaitForMailOptions,
  { timeoutMs, signal }: MailWait = {},
): Promise<"mail" | "over" | "lost"> {
  const over = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)];
  const signals = [ended, ...over].filter((each) => each !== undefined);
  // Listens before it looks: a message that arrives in between wakes it.
  const rings = listenTo(wakeUp, signals);
  try {
    for (;;) {
      if (ended.aborted) return "lost";
      const found = await look();
      if (found !== "none") return found;
      if (signals.some(({ aborted }) => aborted)) return ended.aborted ? "lost" : "over";
      await rings.next();
    }
  } finally {
    rings.stop();
  }
}

/** `next` resolves when a wake-up or a signal came since the last call. */
function listenTo(
  wakeUp: Pick<WakeUp, "listen">,
  signals: readonly AbortSignal[],
): { next(): Promise<void>; stop(): void } {
  let rung = Promise.withResolvers<void>();
  const ring = (): void => rung.resolve();
  const listening = wakeUp.listen(ring);
  for (const signal of signals) signal.addEventListener("abort", ring);
  return {
    async next() {
      await rung.promise;
      rung = Promise.withResolvers();
    },
    stop() {
      listening.stop();
      for (const signal of signals) signal.removeEventListener("abort", ring);
    },
  };
}
