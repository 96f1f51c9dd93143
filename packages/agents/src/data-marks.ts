import { attachment } from "palimpsest";
import type { AttachmentPayload } from "palimpsest/inspect";

/** The types of attachments for an agent's report and for a message. */
export const RESULT = "agent-result";
export const MESSAGE = "agent-message";

/**
 * What an agent said, as an attachment. Its text was put between tags when it was written, with facts that it cannot change.
 * @param note words of the host about it
 */
export function fromAgent(
  type: typeof RESULT | typeof MESSAGE,
  name: string,
  text: string,
  note?: string,
): AttachmentPayload {
  const said = { kind: "text", text, marks: "own" } as const;
  const about = { kind: "text", text: note ?? "", provenance: { kind: "host" } } as const;
  return attachment(type, note === undefined ? [said] : [said, about], { kind: "agent", name });
}

/** Returns the keys of messages in texts of attachments: a logged message is not delivered again. */
export function keysIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => /^<agent-message[^>]* key="([^"]*)"/.exec(text)?.[1] ?? []));
}
