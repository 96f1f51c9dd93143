// Finds signs that another program manages the same list of messages.

import type { Synced, SyncMessage } from "../session/sync/conversation.ts";

/** A sign that another program manages the same messages, as a warning for the application. */
export interface Notice {
  readonly kind: "trimmed" | "pruned" | "replaced" | "cleared" | "edited";
  readonly message: string;
}

/**
 * Finds signs that another program manages the same messages: two managers undo each other's savings.
 * @param clearedResults the number of results in the list that are marked as cleared by a program
 */
export function findNotices(
  messages: readonly SyncMessage[],
  synced: Synced,
  clearedResults: number,
): readonly Notice[] {
  const { head, pruned, rewoundTo, kept, edited } = synced;
  const notices: Notice[] = [];
  if (head === "trimmed") {
    const message = `The list of messages lacks the beginning of the conversation: something drops or summarizes messages. The session keeps them. ${ADVICE}`;
    notices.push({ kind: "trimmed", message });
  }
  if (pruned.length > 0) {
    const message = `The list of messages lacks ${pruned.length} tool calls and results that were sent: something prunes messages. The session keeps them. ${ADVICE}`;
    notices.push({ kind: "pruned", message });
  }
  if (clearedResults > 0) {
    const message = `${clearedResults} tool results of the list were cleared: something edits messages. The session keeps what was sent. ${ADVICE}`;
    notices.push({ kind: "cleared", message });
  }
  // A user's edit removes everything after the edited message. If answers come after it, another program or branch added them.
  const isReplaced = rewoundTo !== undefined && messages.slice(kept).some(({ role }) => role === "assistant");
  if (isReplaced) {
    const message = `Messages before the end of the list were replaced, and answers follow that this session has not recorded: something summarizes messages, or another branch is shown. ${ADVICE}`;
    notices.push({ kind: "replaced", message });
  }
  // The other notices already explain these edits.
  if (notices.length === 0 && edited.length > 0) {
    const entries = `${edited.length === 1 ? "entry" : "entries"} ${edited.slice(0, MOST_ENTRIES).join(", ")}`;
    const message = `The list of messages says something else under the same ids (${entries} of the session). The model still gets what was sent before. If you edited a result or an answer on purpose, give its call or message a new id; to remove a secret, use session.erase(entry).`;
    notices.push({ kind: "edited", message });
  }
  return notices;
}

const ADVICE = "Palimpsest compacts by itself: switch the other one off.";

/** The number of entries that a notice names at most. */
const MOST_ENTRIES = 5;
