import type { ToolCall } from "../log/block.ts";
import { toolResult } from "../session/messages.ts";
import type { Session } from "../session/session.ts";

/** The result of calls that had not started when the turn ended. */
export const NOT_RUN = "This call was not run: the turn ended before.";

/**
 * The result of calls that an earlier process left open. The start of a tool is not logged: that would cost a disk write before
 * each call, and a tool that is killed midway would be as uncertain as before.
 */
export const MAY_HAVE_RUN: string =
  "The outcome of this call is unknown: the program ended while it was open. It may have run, in part or in full. " +
  "Look at what is there before you call it again.";

/** The result of a call in a response that was cut at its end. */
export const CUT_OFF =
  "This call was not run: the answer was cut at its length limit, and the call may not be whole. Make it again, in smaller parts.";

/** Answers every open call with this text; returns those calls. */
export async function closeOpenCalls(
  session: Pick<Session, "view" | "append">,
  text: string,
): Promise<readonly ToolCall[]> {
  const open = session.view.openCalls();
  if (open.length > 0) await session.append(open.map(({ id }) => toolResult(id, text, "error")));
  return open;
}
