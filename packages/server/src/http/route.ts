import type { Infer, Schema } from "palimpsest/schema";
import type { TenantSessions } from "../host/session-host.ts";
import type { Scope, StoredToken } from "../tokens/token.ts";
import type { Problem, ProblemCode } from "./problems.ts";

/** A request that has passed all checks. */
export interface Call<Body = unknown, Query = Readonly<Record<string, unknown>>> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Body;
  readonly token: StoredToken;
  readonly tenant: TenantSessions;
  /** The W3C trace context for what the request begins. */
  readonly traceparent?: string;
  /** Aborted when the client goes away, the time is up, or the server stops. */
  readonly signal: AbortSignal;
}

export type Reply =
  | { readonly kind: "json"; readonly status: 200 | 201 | 202; readonly body: unknown; readonly location?: string }
  | { readonly kind: "empty"; readonly status: 204 }
  /** Lines of JSON, one after another. */
  | { readonly kind: "lines"; readonly lines: AsyncIterable<string>; readonly name: string }
  | { readonly kind: "events"; readonly events: AsyncIterable<ServerEvent> }
  | Problem;

/** One event of a stream. */
export interface ServerEvent {
  /** What a client that comes back sends as `Last-Event-ID`. @default that of the event before stays */
  readonly id?: string;
  readonly name: string;
  readonly data: unknown;
}

export interface DocumentedReply {
  readonly about: string;
  /** @default no body */
  readonly schema?: Schema;
  /** @default application/json */
  readonly mediaType?: "application/x-ndjson" | "text/event-stream";
}

/** One operation: how it is asked for, who may ask, what it answers. The OpenAPI document is written from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Parameters in braces: `/v1/sessions/{session}`. */
  readonly path: string;
  /** The name of the operation. */
  readonly operation: string;
  readonly about: string;
  readonly scope: Scope;
  /** @default no body is read */
  readonly body?: Schema;
  /** The body may be left out; then it is `{}`. @default it is required */
  readonly bodyIs?: "optional";
  readonly query?: Readonly<Record<string, Schema>>;
  /** Headers that are required, with their schemas. */
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly replies: Readonly<Record<number, DocumentedReply>>;
  /** Beside those that every operation may answer with. */
  readonly problems?: readonly ProblemCode[];
  run(call: Call): Promise<Reply>;
}

type QueryOf<Query> = { readonly [Name in keyof Query]?: Infer<Query[Name]> };

interface RouteDefinition<Body, Query> extends Omit<Route, "body" | "query" | "run"> {
  readonly body?: Schema<Body>;
  readonly query?: Query;
  run(call: Call<Body, QueryOf<Query>>): Promise<Reply>;
}

/** Makes a route whose `run` has the types that its schemas describe: requests that do not fit never reach it. */
export function route<Body, Query extends Readonly<Record<string, Schema>>>(
  definition: RouteDefinition<Body, Query>,
): Route {
  return definition as unknown as Route;
}
