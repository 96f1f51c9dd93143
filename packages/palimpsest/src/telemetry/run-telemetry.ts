// Creates the OpenTelemetry spans of one run of a session on a worker.

import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { FleetMetrics } from "./fleet-metrics.ts";
import { under, writeTraceparent } from "./http-telemetry.ts";
import { ATTRIBUTES as A, FLEET_SPANS as S } from "./names.ts";

/** One run of a session on a worker. */
export interface RunFacts extends ServedTarget {
  readonly number: number;
  /** More than 1 if earlier runs did not finish. */
  readonly attempt: number;
}

/** A session that workers run. */
export interface ServedTarget {
  readonly tenant: string;
  readonly session: string;
}

/** An event of a run. */
export type RunEvent =
  /** A message was written to the log. It begins a turn, or joins the running turn. */
  | { readonly kind: "item-taken"; readonly waitedMs: number; readonly traceparent?: string }
  /** A turn of an earlier run continues. */
  | { readonly kind: "turn-continued"; readonly traceparent?: string }
  | { readonly kind: "turn-ended"; readonly state: string }
  | { readonly kind: "step-taken"; readonly step: string; readonly durationMs: number }
  | { readonly kind: "tool-started"; readonly callId: string; readonly tool: string }
  | { readonly kind: "tool-ended"; readonly callId: string; readonly status: "ok" | "error"; readonly how: string }
  /** The provider failed, and the step will retry. */
  | { readonly kind: "retry-waiting"; readonly reason: string; readonly waitMs: number }
  /** The provider is unavailable, so the session runs again later. */
  | { readonly kind: "postponed"; readonly reason: string }
  | { readonly kind: "run-ended"; readonly outcome: "ended" | "left" | "later" }
  | { readonly kind: "run-ended"; readonly outcome: "failed"; readonly error: unknown };

/** Observes one run. */
export interface RunTelemetry {
  tell(event: RunEvent): void;
  /** Whether a reported turn is running. If not, the next step belongs to a turn of an earlier run. */
  isInTurn(): boolean;
  /** The trace context of the current or last turn of this run, for messages to other sessions; undefined before the first turn. */
  traceparent(): string | undefined;
  /** Runs work with the turn's span as the active span, so that tools and clients create child spans. Needs a context manager. */
  within<Result>(work: () => Result): Result;
}

/**
 * Creates the spans of one run: one for each turn, or part of a turn, in this run. The parent of each span is the trace context of the
 * message, which the log keeps. So all parts of a turn are in one trace, even if different workers run them.
 */
export function createRunTelemetry(run: RunFacts, { tracer, metrics, onParent }: RunTelemetryParts): RunTelemetry {
  const startedAtMs = performance.now();
  const tools = new Map<string, Span>();
  let turn: Span | undefined;
  let newest: SpanContext | undefined;
  const parent = (): Context => (turn === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, turn));

  function begin(traceparent: string | undefined, more: Attributes): void {
    const attributes = {
      [A.operation]: S.turn,
      [A.session]: run.session,
      [A.tenant]: run.tenant,
      [A.run]: run.number,
      [A.attempt]: run.attempt,
      ...more,
    };
    turn = tracer.startSpan(S.turn, { kind: SpanKind.INTERNAL, attributes }, under(traceparent));
    newest = turn.spanContext();
    onParent(parent());
  }

  function end(outcome: string, failure?: unknown): void {
    for (const span of tools.values()) span.setAttribute(A.outcome, outcome).end();
    tools.clear();
    turn?.setAttribute(A.outcome, outcome);
    if (failure !== undefined) {
      const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
      turn?.setAttribute(A.errorType, name).setStatus({ code: SpanStatusCode.ERROR, message });
    }
    turn?.end();
    turn = undefined;
    onParent(undefined);
  }

  /** Records how long a message waited for a worker: in the trace of the message, with a link to the turn that the message joined. */
  function queued(waitedMs: number, traceparent: string | undefined): void {
    const now = Date.now();
    const isOther = turn !== undefined && traceparent !== undefined;
    const links = isOther ? [{ context: turn!.spanContext() }] : [];
    const options = { startTime: now - waitedMs, attributes: { [A.session]: run.session }, links };
    tracer.startSpan(S.queued, options, traceparent === undefined ? parent() : under(traceparent)).end(now);
  }

  function tell(event: RunEvent): void {
    switch (event.kind) {
      case "item-taken": {
        const { waitedMs, traceparent } = event;
        metrics.itemTaken(waitedMs);
        if (turn === undefined && traceparent === undefined) begin(undefined, {});
        queued(waitedMs, traceparent);
        if (turn === undefined) begin(traceparent, {});
        return;
      }
      case "turn-continued": {
        const why = run.attempt > 1 ? "crash" : "resume";
        metrics.turnContinued(why);
        begin(event.traceparent, { [A.continued]: why });
        return;
      }
      case "turn-ended":
        end(event.state);
        return;
      case "step-taken":
        metrics.stepTaken(event.step, event.durationMs);
        return;
      case "tool-started": {
        const { callId, tool } = event;
        const attributes = { [A.operation]: S.tool, [A.tool]: tool, [A.toolCall]: callId, [A.session]: run.session };
        tools.set(callId, tracer.startSpan(`${S.tool} ${tool}`, { kind: SpanKind.INTERNAL, attributes }, parent()));
        return;
      }
      case "tool-ended": {
        const { callId, status, how } = event;
        const span = tools.get(callId)?.setAttribute(A.outcome, how);
        if (status === "error") span?.setAttribute(A.errorType, how).setStatus({ code: SpanStatusCode.ERROR });
        span?.end();
        tools.delete(callId);
        return;
      }
      case "retry-waiting":
        turn?.addEvent("retry", { [A.reason]: event.reason, "palimpsest.wait_ms": event.waitMs });
        return;
      case "postponed":
        metrics.postponed(event.reason);
        turn?.addEvent("postponed", { [A.reason]: event.reason });
        return;
      case "run-ended":
        metrics.runEnded(event.outcome, performance.now() - startedAtMs);
        end(event.outcome, event.outcome === "failed" ? event.error : undefined);
        return;
    }
  }

  return {
    tell,
    isInTurn: () => turn !== undefined,
    traceparent: () => newest && writeTraceparent(newest),
    within: (work) => (turn === undefined ? work() : context.with(trace.setSpan(context.active(), turn), work)),
  };
}

interface RunTelemetryParts {
  readonly tracer: Tracer;
  readonly metrics: FleetMetrics;
  /** Called with the new parent for spans of the session. */
  onParent(parent: Context | undefined): void;
}
