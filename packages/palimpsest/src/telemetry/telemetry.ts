import type { SessionEvent } from "../session-event.ts";
import { checkTelemetryOptions, listenToSessions, type TelemetryOptions } from "./session-telemetry.ts";

export { type CountedPool, type DatabaseEvent, type DatabaseTelemetryOptions, databaseTelemetry } from "./database.ts";
export { type FleetTelemetry, type FleetTelemetryOptions, fleetTelemetry } from "./fleet.ts";
export type { FleetCounts, OpenSessionCounts } from "./fleet-metrics.ts";
export {
  type HttpTelemetry,
  httpTelemetry,
  type ReceivedRequest,
  type RequestFacts,
  type RequestTelemetry,
} from "./http-telemetry.ts";
export type { RunEvent, RunFacts, RunTelemetry, ServedTarget } from "./run-telemetry.ts";
export type { TelemetryOptions };

/**
 * Turns session events into OpenTelemetry spans and metrics. Pass the returned function to sessions as `onEvent`; one function
 * serves any number of sessions. Requests and compactions become spans under the active span. Every event is counted.
 */
export function telemetry(options: TelemetryOptions): (event: SessionEvent) => void {
  checkTelemetryOptions("telemetry", options);
  const listen = listenToSessions(options);
  return (event) => listen(event);
}
