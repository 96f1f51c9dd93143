import { createServer } from "node:http";
import type { ListenOptions } from "node:net";
import { createEndpointHandler, type VirtualObjectDefinition } from "@restatedev/restate-sdk/node";

export interface RestateEndpointOptions {
  readonly object: VirtualObjectDefinition<string, unknown>;
  readonly listen: ListenOptions;
  readonly identityKeys: readonly string[];
  readonly onError: ((error: unknown) => void) | undefined;
}

/** The port at which Restate reaches this worker. */
export interface RestateEndpoint {
  /** Takes no more connections, and tells Restate to use no more those that there are. What runs on them continues. */
  refuse(): void;
  /** Waits for the answers that are on their way, for a short while. */
  close(): Promise<void>;
}

/** An answer takes milliseconds; one that does not arrive is sent again by the queue. */
const CLOSE_WITHIN_MS = 2_000;
/** Longer than clients and balancers keep idle connections: a request that meets the end of one is sent again. */
const IDLE_MS = 120_000;

/**
 * HTTP/1.1, with a connection for each run: any balancer divides runs among workers. Over HTTP/2, Restate keeps one connection, and
 * everything goes to one worker. What HTTP/2 has more is for journals, and the session's log is ours.
 */
export function listenForRestate({ object, listen, identityKeys, onError }: RestateEndpointOptions): RestateEndpoint {
  // It would write each retry to the console. Errors of runs are told by `onError`.
  const logger = (): void => undefined;
  const handle = createEndpointHandler({ services: [object], identityKeys: [...identityKeys], logger });
  const server = createServer({ keepAliveTimeout: IDLE_MS }, handle);
  // Without a listener, a port that is taken ends the process.
  if (onError !== undefined) server.on("error", onError);
  server.listen(listen);
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  return {
    refuse: () => void server.close(),
    async close() {
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
