import { type Context, isSpanContextValid, ROOT_CONTEXT, type SpanContext, trace } from "@opentelemetry/api";

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a trace context in the form of W3C. Undefined if the text is none, as the standard wants it: a new trace begins then. */
function readTraceparent(text: string | undefined): SpanContext | undefined {
  const [, version = "", traceId = "", spanId = "", flags = "", more] = FORM.exec(text ?? "") ?? [];
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

/** Undefined if nothing is traced. */
export function writeTraceparent(context: SpanContext): string | undefined {
  if (!isSpanContextValid(context)) return undefined;
  const { traceId, spanId, traceFlags } = context;
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString().padStart(2, "0")}`;
}

/** Under the span that sent something; a new trace if it sent none. */
export function under(traceparent: string | undefined): Context {
  const sender = readTraceparent(traceparent);
  return sender === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, sender);
}
