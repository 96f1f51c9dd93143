import type { ToolCall } from "../log/block.ts";
import { toolResult } from "../session/messages.ts";
import type { Session } from "../session/session.ts";

/** For calls that were not begun when the turn ended. */
export const NOT_RUN = "This call was not run: the turn ended before.";

/**
 * For calls that a process before this one has left open. Beginnings of tools are not written down: that would be a write to
 * the disk before each, and a tool that is killed in the middle would be as uncertain as before.
 */
export const MAY_HAVE_RUN: string =
  "The outcome of this call is unknown: the program ended while it was open. It may have run, in part or in full. " +
  "Look at what is there before you call it again.";

/** For a call in a response that was cut at its end. */
export const CUT_OFF =
  "This call was not run: the answer was cut at its length limit, and the call may not be whole. Make it again, in smaller parts.";

/** Answers every call that is still open with this text; returns which. */
export async function closeOpenCalls(
  session: Pick<Session, "view" | "append">,
  text: string,
): Promise<readonly ToolCall[]> {
  const open = session.view.openCalls();
  if (open.length > 0) await session.append(open.map(({ id }) => toolResult(id, text, "error")));
  return open;
}
