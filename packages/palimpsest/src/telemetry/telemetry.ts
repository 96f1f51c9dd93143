import type { SessionEvent } from "../session-event.ts";
import { checkTelemetryOptions, listenToSessions, type TelemetryOptions } from "./session-telemetry.ts";

/**
 * Turns session events into OpenTelemetry spans and metrics. Pass the returned function to sessions as `onEvent`; one function
 * serves any number of sessions. Requests and compactions become spans under the active span. Every event is counted.
 */
export function telemetry(options: TelemetryOptions): (event: SessionEvent) => void {
  checkTelemetryOptions("telemetry", options);
  const listen = listenToSessions(options);
  return (event) => listen(event);
}
