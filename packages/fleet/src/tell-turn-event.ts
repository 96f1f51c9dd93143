import type { QueryEvent } from "palimpsest";
import type { RunTelemetry } from "palimpsest/telemetry";

/** Tells telemetry what it wants to know of a turn's events. Contents of calls are not told. */
export function tellTurnEvent({ tell }: Pick<RunTelemetry, "tell">, event: QueryEvent): void {
  switch (event.kind) {
    case "tool-started":
      tell({ kind: "tool-started", callId: event.call.id, tool: event.call.name });
      return;
    case "tool-ended":
      tell({ kind: "tool-ended", callId: event.call.id, status: event.status, how: event.how });
      return;
    case "retry-waiting":
      tell({ kind: "retry-waiting", reason: event.reason, waitMs: event.waitMs });
      return;
    default:
  }
}
