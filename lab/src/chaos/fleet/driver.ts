import { queueScheduler, type Scheduler } from "@palimpsest/fleet";
import { freePorts, startRestate } from "@palimpsest/fleet/test-restate";
import type { PostgresDispatch } from "@palimpsest/postgres";

/** A scheduler under trial: its server, if it has one of its own, and how a worker process uses it. */
export interface FleetDriver {
  readonly name: string;
  /** Starts the engine's server. */
  start(): Promise<StartedEngine>;
  /** In a worker process. */
  connect(dispatch: PostgresDispatch, engine: Readonly<Record<string, string>>): Promise<Scheduler>;
}

export interface StartedEngine {
  /** What workers need to find it. */
  readonly engine: Readonly<Record<string, string>>;
  /** To be called when a worker listens for the first time. @default nothing is to be done */
  workersListen?(): Promise<void>;
  /** Ends the server as a power cut would, and starts it again. Absent if the database is the engine. */
  crash?(): Promise<void>;
  stop(): Promise<void>;
}

const postgres: FleetDriver = {
  name: "postgres",
  start: async () => ({ engine: {}, stop: async () => undefined }),
  connect: async (dispatch) => queueScheduler(portsOf(dispatch)),
};

const restate: FleetDriver = {
  name: "restate",
  async start() {
    const [server, [port = 0]] = await Promise.all([startRestate(), freePorts(1)]);
    return {
      engine: { ingressUrl: server.ingressUrl, port: `${port}` },
      workersListen: () => server.register(`http://127.0.0.1:${port}`),
      crash: server.crash,
      stop: server.stop,
    };
  },
  async connect(dispatch, { ingressUrl = "", port }) {
    // Workers of other drivers need not wait until it is loaded.
    const { restateScheduler } = await import("@palimpsest/fleet/restate");
    const listen = { host: "127.0.0.1", port: Number(port), reusePort: true };
    return restateScheduler({ ...portsOf(dispatch), ingressUrl, listen });
  },
};

function portsOf({ queue, tenant }: PostgresDispatch): Parameters<typeof queueScheduler>[0] {
  return { queue, schedule: (name) => tenant(name).schedule };
}

/** By name, as worker processes are told. */
export const DRIVERS: Readonly<Record<"postgres" | "restate", FleetDriver>> = { postgres, restate };

export type DriverName = keyof typeof DRIVERS;
