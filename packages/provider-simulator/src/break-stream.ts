import type { Failure, Fault } from "./faults.ts";
import type { HttpReply, ServerSentEvent } from "./http-face.ts";

/** Returns an error as an event in the provider's form; `index` is its place in the stream. */
export type ErrorEvent = (failure: Failure, index: number) => ServerSentEvent;

/** Applies a fault to a stream: an error event replaces all events that would have followed. */
export function breakStream(
  events: readonly ServerSentEvent[],
  { fault, toErrorEvent }: { fault: Fault | undefined; toErrorEvent: ErrorEvent },
): Pick<Extract<HttpReply, { kind: "stream" }>, "events" | "fault"> {
  if (fault?.kind === "stream-cut" || fault?.kind === "stream-stall") return { events, fault };
  if (fault?.kind !== "stream-error") return { events };
  // At least the last event is lost: after it there is nothing left to break.
  const kept = events.slice(0, Math.min(fault.afterEvents, events.length - 1));
  return { events: [...kept, toErrorEvent(fault.failure, kept.length)] };
}
