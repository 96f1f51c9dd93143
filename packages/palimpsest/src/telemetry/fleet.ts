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

/** The tracer, the meter, and where counts of the whole fleet come from. */
export interface FleetTelemetryOptions extends TelemetryOptions {
  /** Reads what the whole fleet has to do, for gauges: `dispatch.overview` of `openPostgresDispatch`. @default such gauges are not reported */
  readonly overview?: () => Promise<FleetCounts>;
}

/** Spans and metrics of the workers of one process. */
export interface FleetTelemetry {
  /** The listener of a session that a worker opens: pass it as `onEvent`. Its spans belong to the turn that runs. */
  onEvent(target: ServedTarget): (event: SessionEvent) => void;
  /** Called by workers. */
  beginRun(run: RunFacts): RunTelemetry;
  /** Called by workers, for a session that does not run any more. */
  setAside(): void;
  /** Called by workers. Returns a function that ends the observation. */
  observeOpenSessions(count: () => OpenSessionCounts): () => void;
}

/**
 * Turns the runs of a fleet's workers into OpenTelemetry spans and metrics. Each turn is one trace, from the request that brought its message
 * over all workers that ran it, to the model and the tools. Pass it to `createSessionWorker` as `telemetry`, and its `onEvent` to sessions.
 */
export function fleetTelemetry(options: FleetTelemetryOptions): FleetTelemetry {
  checkTelemetryOptions("fleetTelemetry", options);
  const { tracer, meter, overview } = options;
  const listen = listenToSessions(options);
  const metrics = createFleetMetrics(meter);
  if (overview !== undefined) observeFleet(meter, overview);
  /** The spans of the turns that run, by session. */
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
          // A run that was lost may end after the one that took its session over has begun.
          else if (parents.get(name) === own) parents.delete(name);
          own = parent;
        },
      });
    },
    setAside: metrics.setAside,
    observeOpenSessions: (count) => observeOpenSessions(meter, count),
  };
}
