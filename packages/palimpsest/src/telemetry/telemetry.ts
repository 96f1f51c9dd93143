import type { SessionEvent } from "../session-event.ts";
import { checkTelemetryOptions, listenToSessions, type TelemetryOptions } from "./session-telemetry.ts";

export type { TelemetryOptions };

/**
 * Turns session events into OpenTelemetry spans and metrics. Pass it to sessions as `onEvent`; one serves any number of
 * sessions. Requests and compactions become spans under the active span; every event is counted.
 */
export function telemetry(options: TelemetryOptions): (event: SessionEvent) => void {
  checkTelemetryOptions("telemetry", options);
  const listen = listenToSessions(options);
  return (event) => listen(event);
}
