import type { Message } from "./message.ts";

/**
 * What of the mail is new. A process that dies between writing a message to its log and acknowledging it is given it again;
 * so a message goes into the log with its key, is acknowledged after that, and what the log has is only acknowledged:
 *
 *     const { fresh, recorded } = separateRecorded(messages, (key) => log.has(key));
 *     // append `fresh` to the log, with their keys; then
 *     await mailbox.acknowledge([...recorded, ...fresh].map(({ key }) => key));
 */
export function separateRecorded(
  messages: readonly Message[],
  isRecorded: (key: string) => boolean,
): { readonly fresh: readonly Message[]; readonly recorded: readonly Message[] } {
  const { fresh = [], recorded = [] } = Object.groupBy(messages, ({ key }) => (isRecorded(key) ? "recorded" : "fresh"));
  return { fresh, recorded };
}
