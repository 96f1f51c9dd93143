import { readRecallInput, recalledText } from "../recall/recall.ts";
import type { Session } from "../session/session.ts";

/** Answers a call of the tool `recall`, in the session that has recorded the call. */
export async function recallForCall(
  sessions: readonly Session[],
  callId: string | undefined,
  input: unknown,
): Promise<string> {
  const asked = sessions.filter((session) => session.view.openCalls().some(({ id }) => id === callId));
  const [only, ...others] = asked;
  if (only === undefined) return "Nothing can be recalled: this call belongs to no open session.";
  if (others.length > 0) return `Nothing can be recalled: ${asked.length} sessions have a call with the id ${callId}.`;
  return recalledText(await only.recall(readRecallInput(input)));
}
