/**
 * Texts that flattening puts where the log has a gap. They are part of the log format: a session that has sent them once
 * sends the same bytes for ever, so a text is never changed, only superseded by a new one for new entries.
 */

/** The result of a call that has none when the next request is made. */
export const NO_RESULT = "No result: the call was interrupted before it answered. It may have taken effect.";

/** The first message, if the log begins with an answer. */
export const CONVERSATION_CUT = "(The beginning of this conversation is not available.)";

/** The last message, if nothing follows the model's answer. */
export const CONTINUE = "Continue.";

/** Stands before a result that came after a placeholder had answered its call, or that has no call. */
export const lateResult = (callId: string): string => `Result of an earlier tool call (${callId}):`;
