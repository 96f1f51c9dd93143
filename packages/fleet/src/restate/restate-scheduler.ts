import type { ListenOptions } from "node:net";
import type { RunQueue, Schedule } from "@palimpsest/coordination";
import type { Scheduler } from "../scheduler.ts";
import { restateIngress } from "./restate-ingress.ts";
import { serveRestate } from "./serve-restate.ts";

/** The run queue, the schedules, and the addresses of a Restate server. */
export interface RestateSchedulerOptions {
  /** Where wakes are stored, of all tenants: that of `openPostgresDispatch`. */
  readonly queue: RunQueue;
  /** The schedule of a tenant. */
  schedule(tenant: string): Pick<Schedule, "wake">;
  /** Where Restate takes requests: `http://restate:8080`. */
  readonly ingressUrl: string;
  /** For requests to Restate, such as a token of its cloud. @default none */
  readonly ingressHeaders?: Readonly<Record<string, string>>;
  /** Where this worker takes runs from Restate: the address of the deployment that is registered there, or one behind it. */
  readonly listen: ListenOptions;
  /** Public keys of Restate: whoever else asks is refused. @default everybody who reaches the port is served */
  readonly identityKeys?: readonly string[];
  /** The name of the virtual object. @default "palimpsest-session" */
  readonly name?: string;
}

/**
 * Runs sessions by Restate: each is a virtual object, and Restate pushes it to a worker, and to another one as soon as the connection to the
 * first is broken. Wakes are stored by the run queue, so that whatever is said to a session is stored together with its
 * wake; the workers relay them to Restate. Attempts are counted and sessions set aside by the queue, too, as without Restate.
 */
export function restateScheduler(options: RestateSchedulerOptions): Scheduler {
  const { queue, schedule, ingressUrl, ingressHeaders = {}, listen, identityKeys = [] } = options;
  const { name = "palimpsest-session" } = options;
  const ingress = restateIngress({ url: ingressUrl, headers: ingressHeaders, object: name });
  return {
    wake: ({ tenant, session }) => schedule(tenant).wake(session),
    serve: (work, serve = {}) => serveRestate({ queue, ingress, listen, identityKeys, name }, work, serve),
  };
}
