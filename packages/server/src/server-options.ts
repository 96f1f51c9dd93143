import type { HttpTelemetry } from "palimpsest/telemetry";
import type { SessionHost } from "./host/session-host.ts";
import type { Tokens } from "./tokens/token.ts";

/** Options of `serveSessions`. */
export interface ServeSessionsOptions {
  /** What runs the sessions. */
  readonly host: SessionHost;
  /** Who may use them: `tokenFolder(path)`. */
  readonly tokens: Pick<Tokens, "find">;
  /** The network address to listen on. Put a proxy with TLS before it to be reached from elsewhere. @default 127.0.0.1 */
  readonly address?: string;
  /** @default 0: a free port */
  readonly port?: number;
  /** Origins whose pages may use the API from a browser, such as `https://desk.example.com`. @default none */
  readonly allowedOrigins?: readonly string[];
  /** @default `DEFAULT_LIMITS` */
  readonly limits?: Partial<ServerLimits>;
  /** Is told of every request when it is answered, without contents. @default nobody */
  readonly onRequest?: (answered: AnsweredRequest) => void;
  /** Is told of failures of the server. The client is told the id of the request only. @default nobody */
  readonly onError?: (error: unknown, at: { readonly requestId: string; readonly operation: string }) => void;
  /** Makes spans and metrics of requests: `httpTelemetry` of `palimpsest/telemetry`. @default requests are not observed */
  readonly telemetry?: HttpTelemetry;
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

/** Limits that protect a server. */
export interface ServerLimits {
  /** The largest body of a request. */
  readonly maxBodyBytes: number;
  /** Of one token in this process, unless the token has its own limit. */
  readonly requestsPerMinute: number;
  /** Requests with a token that is unknown, or was not used here before, of all clients together. */
  readonly unprovenPerMinute: number;
  /** Connections that are open at a time; more are closed at once. */
  readonly maxConnections: number;
  /** Event streams that are open at a time, in all and of one token. */
  readonly maxStreams: number;
  readonly maxStreamsPerToken: number;
  /** A request must have arrived within this time. */
  readonly receiveTimeoutMs: number;
  /** An operation must have come to an answer within this time. */
  readonly operationTimeoutMs: number;
  /** How often a stream sends a sign of life, and looks whether its token is still valid. */
  readonly heartbeatMs: number;
  /** A client that does not read its stream or its reply for so long is disconnected. */
  readonly stallMs: number;
}

/** The limits of a server, if nothing else is set. */
export const DEFAULT_LIMITS: ServerLimits = {
  // A message with some images.
  maxBodyBytes: 10_000_000,
  requestsPerMinute: 600,
  unprovenPerMinute: 6_000,
  maxConnections: 5_000,
  maxStreams: 1_000,
  maxStreamsPerToken: 100,
  receiveTimeoutMs: 30_000,
  // A compaction asks a model.
  operationTimeoutMs: 120_000,
  // Proxies close connections that are silent for a minute, and some for half of one.
  heartbeatMs: 15_000,
  stallMs: 60_000,
};

/** One line for an access log. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The name of the operation; absent if the address is unknown. */
  readonly operation?: string;
  readonly tenant?: string;
  /** The id of the token. */
  readonly token?: string;
  readonly status: number;
  readonly durationMs: number;
}
