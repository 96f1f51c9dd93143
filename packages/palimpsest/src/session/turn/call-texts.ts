import type { OpenCall } from "../../view/next-in-turn.ts";

/** Results that the model reads in place of those of a tool. They are part of the prompt. */

/** Of calls that had not started when the turn ended. */
export const NOT_RUN = "This call was not run: the turn ended before.";

/** Of calls that a process began which is gone, and that must not run twice. */
export const MAY_HAVE_RUN: string =
  "The outcome of this call is unknown: the program ended while it was open. It may have run, in part or in full. " +
  "Look at what is there before you call it again.";

/** Of a call at the end of a response that was cut. */
export const CUT_OFF =
  "This call was not run: the answer was cut at its length limit, and the call may not be whole. Make it again, in smaller parts.";

/** Of a call that waited for permission when the user said something new. */
export const SUPERSEDED =
  "This call was not run: it needed permission, and the user said something else instead of giving it.";

/** Of a call that was open when this session was forked from another. */
export const ELSEWHERE =
  "This call belongs to the conversation that this one was forked from. It runs there, if at all, and its result is not known here.";

/** Of a call that somebody did not allow. */
export function notAllowed(reason: string): string {
  return `This call was not allowed: ${reason}`;
}

/** Whether a call that is not run any more may have taken effect. */
export function endingOf({ step }: Pick<OpenCall, "step">): "not-run" | "unknown" {
  return step === "begun" || step === "unlogged" ? "unknown" : "not-run";
}
