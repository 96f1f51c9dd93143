import {
  createSessionWorker,
  type Drained,
  type Scheduler,
  type ServeOptions,
  type SessionTarget,
  type SessionWorkerOptions,
  type TurnOptions,
} from "@palimpsest/fleet";
import { openSession, type Permission, type SessionEvent, type SessionOptions } from "palimpsest";
import type { FleetTelemetry } from "palimpsest/telemetry";
import { type FleetHostOptions, fleetHost } from "./host/fleet-host.ts";
import { type SessionServer, serveSessions } from "./serve-sessions.ts";
import type { ServeSessionsOptions } from "./server-options.ts";

/** What a session is made of, wherever it runs: options of `openSession`, and who decides about its calls. */
// biome-ignore lint/suspicious/noExplicitAny: any provider will do.
export interface ServedAgent extends Omit<SessionOptions<any, any, any>, "store" | "id" | "takeover"> {
  /** Decides about calls of tools. `later` puts the question to people, and no process waits. @default everything is allowed */
  readonly permission?: Permission;
  /** More about its turns: retries, limits. */
  readonly turn?: Omit<TurnOptions, "permission">;
}

/** Options of `serveFleet`: those of the server, those of the worker, and what both share. */
export interface ServeFleetOptions
  extends Omit<ServeSessionsOptions, "host">,
    Omit<FleetHostOptions, "open">,
    Pick<SessionWorkerOptions, "timers" | "questionsExpireAfterMs" | "keepOpen"> {
  /** Called whenever a session is opened, and for each of its runs: make the provider before. */
  agent(target: SessionTarget): ServedAgent;
  /** Gives this process sessions to run. */
  readonly scheduler: Pick<Scheduler, "serve">;
  /** How many sessions run in this process at a time. 0: it only serves, and others run them. @default 16 */
  readonly workers?: number;
  /** How runs are renewed and tried again. @default that of the scheduler */
  readonly runs?: Pick<ServeOptions, "renewEveryMs" | "retryAfterMs">;
  /** Makes spans and metrics of runs and sessions: `fleetTelemetry` of `palimpsest/telemetry`. @default they are not observed */
  readonly runTelemetry?: FleetTelemetry;
  /** Receives errors of runs. @default none */
  readonly onRunError?: (error: unknown, target?: SessionTarget) => void;
}

/** A server and its workers. */
export interface FleetServer extends Pick<SessionServer, "url"> {
  /**
   * Stops: streams are told to connect elsewhere, no more sessions are taken, and requests and turns may end. What runs then is left to other
   * processes, which continue it at once.
   * @param options `graceMs`: after so long. @default 25,000: most platforms kill a process 30 s after SIGTERM
   */
  close(options?: { readonly graceMs?: number }): Promise<Drained>;
}

const DEFAULT_GRACE_MS = 25_000;

/** Serves sessions over HTTP and runs them, in one process. Any number of such processes may share a database. */
export async function serveFleet(options: ServeFleetOptions): Promise<FleetServer> {
  const { agent, store, dispatch, scheduler, workers, runs, runTelemetry, onRunError, health, clock } = options;
  const { timers, questionsExpireAfterMs, keepOpen, ...rest } = options;
  const open: FleetHostOptions["open"] = (target, from, purpose) => {
    const { permission: _, turn: __, hooks, onEvent, ...about } = agent(target);
    const opened = { ...about, store: from, id: target.session, takeover: "always" } as const;
    // Whoever reads a session does not resume it.
    if (purpose === "read") return openSession(opened);
    const observe = runTelemetry?.onEvent(target);
    const told = (event: SessionEvent): void => {
      observe?.(event);
      onEvent?.(event);
    };
    return openSession({ ...opened, onEvent: told, ...(hooks && { hooks }) });
  };
  const worker = createSessionWorker({
    store,
    dispatch,
    open: (target) => open(target, store(target.tenant), "write"),
    turn(_, target) {
      const { permission, turn } = agent(target);
      return permission === undefined ? { ...turn } : { ...turn, permission };
    },
    ...(timers && { timers }),
    ...(questionsExpireAfterMs === undefined ? {} : { questionsExpireAfterMs }),
    ...(keepOpen === undefined ? {} : { keepOpen }),
    ...(clock && { clock }),
    ...(runTelemetry && { telemetry: runTelemetry }),
    ...(onRunError && { onError: onRunError }),
  });
  const host = fleetHost({ store, dispatch, open, ...(health && { health }) });
  const server = await serveSessions({ ...rest, host });
  const serving =
    workers === 0
      ? undefined
      : scheduler.serve(worker.run, {
          ...runs,
          ...(workers === undefined ? {} : { slots: workers }),
          onSetAside: worker.setAside,
          ...(onRunError && { onError: onRunError }),
        });
  return {
    url: server.url,
    async close({ graceMs = DEFAULT_GRACE_MS } = {}) {
      const [drained] = await Promise.all([serving?.drain({ withinMs: graceMs }), server.close({ graceMs })]);
      await worker.close();
      return drained ?? { ended: 0, left: 0 };
    },
  };
}
