import type { Failure, Fault } from "./faults.ts";
import type { HttpReply, ServerSentEvent } from "./http-face.ts";

/** An error as an event in the provider's words; `index` is its place in the stream. */
export type ErrorEvent = (failure: Failure, index: number) => ServerSentEvent;

/** A stream with its fault in it: an error stands among the events, in place of all that would have followed. */
export function breakStream(
  events: readonly ServerSentEvent[],
  { fault, toErrorEvent }: { fault: Fault | undefined; toErrorEvent: ErrorEvent },
): Pick<Extract<HttpReply, { kind: "stream" }>, "events" | "fault"> {
  if (fault?.kind === "stream-cut" || fault?.kind === "stream-stall") return { events, fault };
  if (fault?.kind !== "stream-error") return { events };
  // At least the last event is lost: after that one there is nothing left to break.
  const kept = events.slice(0, Math.min(fault.afterEvents, events.length - 1));
  return { events: [...kept, toErrorEvent(fault.failure, kept.length)] };
}
