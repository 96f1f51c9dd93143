import {
  type Attributes,
  type Context,
  context,
  type Meter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { under, writeTraceparent } from "./http-telemetry.ts";
import { ATTRIBUTES as A, FLEET_METRICS as M, FLEET_SPANS as S } from "./names.ts";

/** A session that workers run. */
export interface ServedTarget {
  readonly tenant: string;
  readonly session: string;
}

/** Sessions that a worker has open. */
export interface OpenSessionCounts {
  /** Kept open between runs. */
  readonly idle: number;
  readonly running: number;
}

/** What a whole fleet has to do, as its database knows it. `overview` of `openPostgresDispatch` returns it, with more. */
export interface FleetCounts {
  readonly atMs: number;
  readonly queue: {
    /** Held by a worker that has renewed its run in time. */
    readonly running: number;
    /** To be run now, also because their worker is gone. */
    readonly due: number;
    /** To be run at a later time. */
    readonly later: number;
    readonly setAside: number;
    /** Since when the first of those that are due has been due. */
    readonly oldestDueAtMs?: number;
  };
  readonly inbox: { readonly items: number; readonly oldestAtMs?: number };
  readonly questions: { readonly open: number };
}

/** Counters and histograms of one process. Attributes take few values: never a tenant or a session. */
interface FleetMetrics {
  runEnded(outcome: string, durationMs: number): void;
  stepTaken(step: string, durationMs: number): void;
  itemTaken(waitedMs: number): void;
  turnContinued(why: string): void;
  postponed(reason: string): void;
  setAside(): void;
}

/** From a look into the log to a tool that runs for an hour. */
const SECONDS: readonly number[] = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];

export function createFleetMetrics(meter: Meter): FleetMetrics {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries: [...SECONDS] } });
  const count = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  const runs = count(M.runs, "{run}", "Runs of sessions on this worker, by how they ended.");
  const runDuration = seconds(M.runDuration, "Runs of sessions, from start to end.");
  const stepDuration = seconds(
    M.stepDuration,
    "Steps of turns: an exchange with the model, or the calls of a response.",
  );
  const waitDuration = seconds(M.waitDuration, "From a message being stored to a worker having it in the log.");
  const resumed = count(M.resumed, "{turn}", "Turns that an earlier run had begun: its worker is gone, or it waited.");
  const postponed = count(M.postponed, "{run}", "Runs that were put off because the provider is away, by reason.");
  const setAside = count(M.setAside, "{session}", "Sessions that failed too often and do not run any more.");
  return {
    runEnded(outcome, durationMs) {
      runs.add(1, { [A.outcome]: outcome });
      runDuration.record(durationMs / 1_000, { [A.outcome]: outcome });
    },
    stepTaken: (step, durationMs) => stepDuration.record(durationMs / 1_000, { [A.step]: step }),
    itemTaken: (waitedMs) => waitDuration.record(waitedMs / 1_000),
    turnContinued: (why) => resumed.add(1, { [A.continued]: why }),
    postponed: (reason) => postponed.add(1, { [A.reason]: reason }),
    setAside: () => setAside.add(1),
  };
}

/** Observes the sessions that a worker has open, with every export. Returns a function that ends it. */
export function observeOpenSessions(meter: Meter, count: () => OpenSessionCounts): () => void {
  const open = meter.createObservableUpDownCounter(M.openSessions, {
    unit: "{session}",
    description: "Sessions that this worker has open.",
  });
  const observe: Parameters<typeof open.addCallback>[0] = (result) => {
    for (const [state, sessions] of Object.entries(count())) result.observe(sessions, { [A.state]: state });
  };
  open.addCallback(observe);
  return () => open.removeCallback(observe);
}

/** Observes the whole fleet, with every export. Every process that does it reports the same: show the highest. */
export function observeFleet(meter: Meter, overview: () => Promise<FleetCounts>): void {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { unit, description });
  const depth = gauge(M.queueDepth, "{session}", "Sessions that are to run or run, by state.");
  const age = gauge(M.queueAge, "s", "How long the first session that is due has waited for a worker.");
  const items = gauge(M.inboxItems, "{item}", "Messages that are not in their logs yet.");
  const inboxAge = gauge(M.inboxAge, "s", "How long the oldest of those messages has waited.");
  const questions = gauge(M.questions, "{question}", "Questions that wait for an answer of a person.");
  meter.addBatchObservableCallback(
    async (result) => {
      const { atMs, queue, inbox, questions: asked } = await overview();
      const since = (oldestMs = atMs): number => Math.max(0, atMs - oldestMs) / 1_000;
      const states = { running: queue.running, due: queue.due, later: queue.later, set_aside: queue.setAside };
      for (const [state, sessions] of Object.entries(states)) result.observe(depth, sessions, { [A.state]: state });
      result.observe(age, since(queue.oldestDueAtMs));
      result.observe(items, inbox.items);
      result.observe(inboxAge, since(inbox.oldestAtMs));
      result.observe(questions, asked.open);
    },
    [depth, age, items, inboxAge, questions],
  );
}

/** One run of a session on a worker. */
export interface RunFacts extends ServedTarget {
  readonly number: number;
  /** More than 1 if earlier runs did not come to an end. */
  readonly attempt: number;
}

/** What happens in a run. */
export type RunEvent =
  /** A message is in the log. It begins a turn, or joins the one that runs. */
  | { readonly kind: "item-taken"; readonly waitedMs: number; readonly traceparent?: string }
  /** A turn continues that an earlier run had begun. */
  | { readonly kind: "turn-continued"; readonly traceparent?: string }
  | { readonly kind: "turn-ended"; readonly state: string }
  | { readonly kind: "step-taken"; readonly step: string; readonly durationMs: number }
  | { readonly kind: "tool-started"; readonly callId: string; readonly tool: string }
  | { readonly kind: "tool-ended"; readonly callId: string; readonly status: "ok" | "error"; readonly how: string }
  /** The provider failed, and is asked again within the step. */
  | { readonly kind: "retry-waiting"; readonly reason: string; readonly waitMs: number }
  /** The provider is away: the session runs again later. */
  | { readonly kind: "postponed"; readonly reason: string }
  | { readonly kind: "run-ended"; readonly outcome: "ended" | "left" | "later" }
  | { readonly kind: "run-ended"; readonly outcome: "failed"; readonly error: unknown };

/** Observes one run. */
export interface RunTelemetry {
  tell(event: RunEvent): void;
  /** Whether a turn runs that was told of. If not, the next step belongs to a turn that an earlier run had begun. */
  isInTurn(): boolean;
  /** The trace of the turn that runs here, or ran here last: for what the turn sends to other sessions. Undefined if there is none. */
  traceparent(): string | undefined;
  /** Runs work with the turn's span as the active one, for spans of tools and clients, if the process has a context manager. */
  within<Result>(work: () => Result): Result;
}

interface RunTelemetryParts {
  readonly tracer: Tracer;
  readonly metrics: FleetMetrics;
  /** Called when another span is to be the parent of what happens in the session. */
  onParent(parent: Context | undefined): void;
}

/**
 * Spans of one run: one for each turn, or part of a turn, that runs here. Its parent is the trace context that the message came with, which
 * the log keeps: so all parts of a turn are in one trace, whichever workers run them.
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

  /** The time before a worker had a message; in the message's own trace, with a link to the turn that it joined. */
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
