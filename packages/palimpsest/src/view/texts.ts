/**
 * Texts that flattening puts where the log has a gap. They are part of the log format: a session that has sent them once
 * sends the same bytes for ever, so a text is never changed, only superseded by a new one for new entries.
 */

/** A call that has no result when the next request is made. */
export const NO_RESULT = "No result: the call was interrupted before it answered. It may have taken effect.";

/** The first message, where the log begins with an answer. */
export const CONVERSATION_CUT = "(The beginning of this conversation is not available.)";

/** The last message, where nothing follows the model's answer. */
export const CONTINUE = "Continue.";

/** Before a result that arrived when its call had been answered by a stand-in, or that has no call at all. */
export const lateResult = (callId: string): string => `Result of an earlier tool call (${callId}):`;

/** Content of the host within a user message, told apart from the user's own words. */
export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;
