// Turns the requests of an HTTP server into OpenTelemetry spans and metrics, and reads and writes the W3C trace context.

import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { ATTRIBUTES as A, HTTP_METRICS as M } from "./names.ts";
import { checkTelemetryOptions, type TelemetryOptions } from "./session-telemetry.ts";

/** Creates spans and metrics for the requests of a server. */
export interface HttpTelemetry {
  begin(request: ReceivedRequest): RequestTelemetry;
}

/** A request that arrived. */
export interface ReceivedRequest {
  readonly method: string;
  /** The W3C trace context that the client sent. @default a new trace */
  readonly traceparent?: string;
}

/** Observes one request. */
export interface RequestTelemetry {
  /** The trace context for the work of the request; undefined if nothing is traced. */
  readonly traceparent: string | undefined;
  end(answered: RequestFacts): void;
}

/** The facts of an answered request. */
export interface RequestFacts {
  /** The template of the path, without values of the client. Absent if no route matches. */
  readonly route?: string;
  readonly operation?: string;
  readonly tenant?: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Turns requests into spans and metrics, by the OpenTelemetry conventions for HTTP servers: for `serveSessions` and `serveFleet`. */
export function httpTelemetry(options: TelemetryOptions): HttpTelemetry {
  checkTelemetryOptions("httpTelemetry", options);
  const { tracer, meter } = options;
  const durations = meter.createHistogram(M.requestDuration, {
    unit: "s",
    description: "The duration of requests. A request for an event stream lasts as long as the client stays connected.",
    advice: { explicitBucketBoundaries: [...SECONDS] },
  });
  return {
    begin({ method, traceparent }) {
      const options = { kind: SpanKind.SERVER, attributes: { [A.httpMethod]: method } };
      const span = tracer.startSpan(method, options, under(traceparent));
      return {
        traceparent: writeTraceparent(span.spanContext()),
        end({ route, operation, tenant, status, durationMs }) {
          const isFailure = status >= 500;
          const attributes: Attributes = {
            [A.httpMethod]: method,
            [A.httpStatus]: status,
            ...(route === undefined ? {} : { [A.httpRoute]: route }),
            ...(isFailure ? { [A.errorType]: String(status) } : {}),
          };
          durations.record(durationMs / 1_000, attributes);
          if (route !== undefined) span.updateName(`${method} ${route}`);
          if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttributes({
            ...attributes,
            ...(operation === undefined ? {} : { [A.httpOperation]: operation }),
            ...(tenant === undefined ? {} : { [A.tenant]: tenant }),
          });
          span.end();
        },
      };
    },
  };
}

/** The boundaries that the conventions recommend. */
const SECONDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Returns the context of the sender's span; the root context if no trace context was sent. */
export function under(traceparent: string | undefined): Context {
  const sender = readTraceparent(traceparent);
  return sender === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, sender);
}

/** Writes a W3C trace context; undefined if nothing is traced. */
export function writeTraceparent(context: SpanContext): string | undefined {
  if (!isSpanContextValid(context)) return undefined;
  const { traceId, spanId, traceFlags } = context;
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString().padStart(2, "0")}`;
}

/** Reads a W3C trace context; undefined if the text is invalid. As the standard requires, a new trace begins then. */
function readTraceparent(text: string | undefined): SpanContext | undefined {
  const [, version = "", traceId = "", spanId = "", flags = "", more] = FORM.exec(text ?? "") ?? [];
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
