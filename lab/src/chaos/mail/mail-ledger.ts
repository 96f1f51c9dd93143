/** A message that a sender was told is on the disk. Steps of a sender rise, so they are the order per pair. */
export interface Sent {
  readonly from: string;
  readonly to: string;
  readonly step: number;
}

/** What the log of one agent has, in its order. */
export interface Recorded {
  readonly agent: string;
  readonly messages: readonly Omit<Sent, "to">[];
}

/** Whom a message goes to: the same, whoever asks and however often a process was killed. */
export function receiverOf(agents: readonly string[], from: string, step: number): string {
  const others = agents.filter((name) => name !== from);
  return others[(step * 7 + Math.floor(step / 5)) % others.length]!;
}

/** What must not happen, counted; and what should. */
export interface MailLosses {
  readonly delivered_once: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly out_of_order: number;
  /** In the log of somebody it was not sent to. */
  readonly misdelivered: number;
}

/** Holds what the logs have against what the senders were told. What was sent and not told may be there or not. */
export function auditMail(
  sent: readonly Sent[],
  logs: readonly Recorded[],
  receiverOf: (from: string, step: number) => string,
): MailLosses {
  let [duplicated, outOfOrder, misdelivered] = [0, 0, 0];
  const found = new Set<string>();
  for (const { agent, messages } of logs) {
    const last = new Map<string, number>();
    for (const { from, step } of messages) {
      const name = `${from} ${step}`;
      if (receiverOf(from, step) !== agent) misdelivered++;
      else if (found.has(name)) duplicated++;
      else if (step < (last.get(from) ?? 0)) outOfOrder++;
      found.add(name);
      last.set(from, Math.max(step, last.get(from) ?? 0));
    }
  }
  const delivered = sent.filter(({ from, step }) => found.has(`${from} ${step}`)).length;
  return {
    delivered_once: delivered - duplicated,
    lost: sent.length - delivered,
    duplicated,
    out_of_order: outOfOrder,
    misdelivered,
  };
}
