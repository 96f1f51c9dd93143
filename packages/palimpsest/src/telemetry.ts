/** `palimpsest/telemetry`: events of sessions, fleets and databases as OpenTelemetry spans and metrics. */

export {
  type CountedPool,
  type DatabaseEvent,
  type DatabaseTelemetryOptions,
  databaseTelemetry,
} from "./telemetry/database.ts";
export { type FleetTelemetry, type FleetTelemetryOptions, fleetTelemetry } from "./telemetry/fleet.ts";
export type { FleetCounts, OpenSessionCounts } from "./telemetry/fleet-metrics.ts";
export {
  type HttpTelemetry,
  httpTelemetry,
  type ReceivedRequest,
  type RequestFacts,
  type RequestTelemetry,
} from "./telemetry/http-telemetry.ts";
export type { RunEvent, RunFacts, RunTelemetry, ServedTarget } from "./telemetry/run-telemetry.ts";
export type { TelemetryOptions } from "./telemetry/session-telemetry.ts";
export { telemetry } from "./telemetry/session-telemetry.ts";
