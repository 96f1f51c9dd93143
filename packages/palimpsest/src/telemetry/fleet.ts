// Turns the runs of a fleet's workers into OpenTelemetry spans and metrics.

import type { Context } from "@opentelemetry/api";
import type { SessionEvent } from "../session-event.ts";
import {
  createFleetMetrics,
  type FleetCounts,
  type OpenSessionCounts,
  observeFleet,
  observeOpenSessions,
} from "./fleet-metrics.ts";
import { createRunTelemetry, type RunFacts, type RunTelemetry, type ServedTarget } from "./run-telemetry.ts";
import { checkTelemetryOptions, listenToSessions, type TelemetryOptions } from "./session-telemetry.ts";

/** The tracer, the meter, and the source of the counts of the whole fleet. */
export interface FleetTelemetryOptions extends TelemetryOptions {
  /** Reads the work of the whole fleet for gauges: `dispatch.overview` of `openPostgresDispatch`. @default these gauges are not reported */
  readonly overview?: () => Promise<FleetCounts>;
}

/** Spans and metrics of the workers of one process. */
export interface FleetTelemetry {
  /** Returns the listener for a session that a worker opens: pass it as `onEvent`. Its spans belong to the running turn. */
  onEvent(target: ServedTarget): (event: SessionEvent) => void;
  /** Called by workers. */
  beginRun(run: RunFacts): RunTelemetry;
  /** Called by workers for a session that is paused after repeated failures. */
  setAside(): void;
  /** Called by workers. Returns a function that ends the observation. */
  observeOpenSessions(count: () => OpenSessionCounts): () => void;
}

/**
 * Turns the runs of a fleet's workers into OpenTelemetry spans and metrics. Each turn is one trace: the request with its message, all
 * workers that ran the turn, the model calls and the tools. Pass the result to `createSessionWorker` as `telemetry`, and its `onEvent`
 * to sessions.
 */
export function fleetTelemetry(options: FleetTelemetryOptions): FleetTelemetry {
  checkTelemetryOptions("fleetTelemetry", options);
  const { tracer, meter, overview } = options;
  const listen = listenToSessions(options);
  const metrics = createFleetMetrics(meter);
  if (overview !== undefined) observeFleet(meter, overview);
  /** The spans of the running turns, by session. */
  const parents = new Map<string, Context>();
  const nameOf = ({ tenant, session }: ServedTarget): string => JSON.stringify([tenant, session]);
  return {
    onEvent(target) {
      const name = nameOf(target);
      return (event) => listen(event, parents.get(name));
    },
    beginRun(run) {
      const name = nameOf(run);
      let own: Context | undefined;
      return createRunTelemetry(run, {
        tracer,
        metrics,
        onParent(parent) {
          if (parent !== undefined) parents.set(name, parent);
          // A lost run may end after its successor has begun.
          else if (parents.get(name) === own) parents.delete(name);
          own = parent;
        },
      });
    },
    setAside: metrics.setAside,
    observeOpenSessions: (count) => observeOpenSessions(meter, count),
  };
}
