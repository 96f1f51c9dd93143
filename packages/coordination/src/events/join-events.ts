import type { QueryEvent } from "palimpsest";

/** Stands for events that could not be kept until they were published. A watcher finds in the log what came of them. */
export interface EventsLeftOut {
  readonly kind: "events-left-out";
  readonly count: number;
}

/** Adds an event to those that wait to be published: to the last one, if both are parts of one text. */
export function joinEvents(waiting: unknown[], event: QueryEvent, maxEvents: number): void {
  const last = waiting.at(-1) as QueryEvent | EventsLeftOut | undefined;
  const joined = last === undefined ? undefined : join(last, event, waiting.length >= maxEvents);
  if (joined === undefined) waiting.push(toJsonValue(event));
  else waiting[waiting.length - 1] = joined;
}

function join(last: QueryEvent | EventsLeftOut, event: QueryEvent, isFull: boolean): unknown {
  if ((last.kind === "text" || last.kind === "thinking") && event.kind === last.kind)
    return { ...last, text: last.text + event.text };
  if (last.kind === "tool_input" && event.kind === last.kind && event.id === last.id)
    return { ...last, text: last.text + event.text };
  if (last.kind === "events-left-out") return isFull ? { ...last, count: last.count + 1 } : undefined;
  // The last one makes room for the notice.
  return isFull ? { kind: "events-left-out", count: 2 } : undefined;
}

/** An error says what JSON would leave out. */
function toJsonValue(event: QueryEvent): unknown {
  if (event.kind !== "turn-ended" || event.outcome.kind !== "failed") return event;
  const { error, ...outcome } = event.outcome;
  return { ...event, outcome: { ...outcome, error: { name: error.name, message: error.message, code: error.code } } };
}
