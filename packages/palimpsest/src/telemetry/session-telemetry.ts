import {
  type Attributes,
  type Context,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";
import { inputTokensOf } from "../log/usage.ts";
import { checkOptions, withMethods } from "../schema/check-options.ts";
import type {
  CompactionEnded,
  CompactionProgressed,
  CompactionStarted,
  ResponseRecorded,
  SessionEvent,
  UsedTokens,
} from "../session-event.ts";
import { createInstruments, measure } from "./measure.ts";
import { ATTRIBUTES as A, SPANS } from "./names.ts";

// Turns session events into OpenTelemetry spans and metrics.

/**
 * Turns session events into OpenTelemetry spans and metrics. Pass the returned function to sessions as `onEvent`; one function
 * serves any number of sessions. Requests and compactions become spans under the active span. Every event is counted.
 */
export function telemetry(options: TelemetryOptions): (event: SessionEvent) => void {
  checkTelemetryOptions("telemetry", options);
  const listen = listenToSessions(options);
  return (event) => listen(event);
}

/** The tracer, the meter, and whether spans hold content. */
export interface TelemetryOptions {
  readonly tracer: Tracer;
  readonly meter: Meter;
  /**
   * `included`: spans also carry the texts of models. Use this only if everyone who reads the spans may read the conversation.
   * @default "none"
   */
  readonly content?: "none" | "included";
}

/** Receives an event. @param parent the context of the parent span. @default the active span */
type SessionListener = (event: SessionEvent, parent?: Context) => void;

/** Checks the tracer and the meter. @param of the name of the function that got the options */
export function checkTelemetryOptions(of: string, options: TelemetryOptions): void {
  checkOptions(of, options, {
    tracer: withMethods(["startSpan"], 'a tracer of OpenTelemetry: trace.getTracer("...")'),
    meter: withMethods(["createCounter"], 'a meter of OpenTelemetry: metrics.getMeter("...")'),
  });
}

/** Turns session events into spans and metrics, under a parent that the caller passes. */
export function listenToSessions(options: TelemetryOptions): SessionListener {
  const { tracer, meter, content = "none" } = options;
  const recordMeasurement = createInstruments(meter);
  /** The spans of running compactions. */
  const open = new Map<string, Span>();

  function request(event: ResponseRecorded & SessionEvent, parent: Context | undefined): void {
    const { provider, requestModel, model, responseId, stop, source, priceUsd, text, requestedAtMs, atMs } = event;
    const attributes = {
      [A.operation]: "chat",
      [A.provider]: provider,
      [A.requestModel]: requestModel,
      [A.responseModel]: model,
      [A.responseId]: responseId,
      [A.finishReasons]: [stop],
      [A.session]: event.session,
      [A.source]: source,
      ...usedAttributes(event),
      [A.forkExpectedTokens]: event.forkExpectedTokens,
      ...(priceUsd === undefined ? {} : { [A.cost]: priceUsd }),
      ...(content === "none" ? {} : { [A.outputMessages]: outputMessages(text, stop) }),
    };
    const name = `${SPANS.request} ${requestModel}`;
    const startTime = moment(requestedAtMs);
    tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, parent).end(moment(atMs));
  }

  function compactionStarted(event: CompactionStarted & SessionEvent, parent: Context | undefined): void {
    const { trigger, reason, tokensBefore, earlierCompactions, turnsSincePrevious } = event;
    const attributes = {
      [A.session]: event.session,
      [A.trigger]: trigger,
      [A.compactionReason]: reason,
      [A.tokensBefore]: tokensBefore,
      [A.earlierCompactions]: earlierCompactions,
      ...(turnsSincePrevious === undefined ? {} : { [A.turnsSincePrevious]: turnsSincePrevious }),
    };
    open.set(keyOf(event), tracer.startSpan(SPANS.compaction, { startTime: moment(event.atMs), attributes }, parent));
  }

  function compactionEnded(event: CompactionEnded & SessionEvent): void {
    const { outcome, atMs } = event;
    const span = open.get(keyOf(event));
    open.delete(keyOf(event));
    span?.setAttributes(outcomeAttributes(outcome));
    if (outcome.kind === "compacted" && content === "included") span?.setAttribute(A.summary, outcome.text);
    if (outcome.kind === "failed") span?.setStatus({ code: SpanStatusCode.ERROR, message: outcome.failure });
    span?.end(moment(atMs));
  }

  return (event, parent) => {
    measure(event).forEach(recordMeasurement);
    switch (event.kind) {
      case "response-recorded":
        return request(event, parent);
      case "compaction-started":
        return compactionStarted(event, parent);
      case "compaction-progressed":
        open.get(keyOf(event))?.addEvent(event.phase, moment(event.atMs));
        return;
      case "compaction-ended":
        return compactionEnded(event);
      // These events have no duration, so they are counted and have no span. A new kind does not compile until it is listed.
      case "turn-started":
      case "answer-interrupted":
      case "input-truncated":
      case "model-guessed":
      case "parameter-overridden":
      case "cache-warmed":
      case "cache-broken":
      case "result-stored":
      case "storing-failed":
      case "results-collected":
      case "media-refused":
      case "results-cleared":
      case "rule-failed":
      case "policy-changed":
      case "recalled":
      case "compaction-due":
      case "compaction-announced":
      case "compaction-degraded":
      case "summary-prepared":
      case "prepared-summary-dropped":
      case "notes-updated":
      case "notes-compaction-declined":
      case "memories-extracted":
      case "memories-waiting":
      case "memory-judged":
      case "dreamed":
      case "forked":
      case "fork-missed-cache":
      case "breaker-tripped":
      case "settings-rejected":
      case "flags-failed":
      case "flags-recovered":
      case "files-restored":
      case "hooks-ran":
      case "agent-changed":
      case "mail-arrived":
        return;
      default:
        event satisfies never;
    }
  };
}

type OfCompaction = (CompactionStarted | CompactionProgressed | CompactionEnded) & SessionEvent;

function keyOf({ session, compaction }: OfCompaction): string {
  return JSON.stringify([session, compaction]);
}

function outcomeAttributes(outcome: CompactionEnded["outcome"]): Attributes {
  switch (outcome.kind) {
    case "compacted":
      return {
        [A.outcome]: "compacted",
        [A.summaryWay]: outcome.summary.way,
        [A.summaryForm]: outcome.summary.form,
        [A.summaryMet]: outcome.summary.met,
        [A.tokensBefore]: outcome.tokensBefore,
        [A.tokensAfter]: outcome.tokensAfter,
        ...(outcome.used === undefined ? {} : usedAttributes(outcome.used)),
      };
    case "declined":
      return { [A.outcome]: "declined", [A.reason]: outcome.reason };
    case "failed":
      return {
        [A.outcome]: "failed",
        [A.errorType]: outcome.failure,
        ...(outcome.used === undefined ? {} : usedAttributes(outcome.used)),
      };
  }
}

function usedAttributes(used: UsedTokens): Attributes {
  return {
    // By the conventions, input includes cached tokens.
    [A.inputTokens]: inputTokensOf(used),
    [A.outputTokens]: used.outputTokens,
    [A.cacheReadTokens]: used.cacheReadTokens,
    [A.cacheWriteTokens]: used.cacheWriteTokens,
    ...(used.reasoningTokens === undefined ? {} : { [A.reasoningTokens]: used.reasoningTokens }),
  };
}

/** One message with one part, in the format of the conventions. */
function outputMessages(text: string, stop: string): string {
  return JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: text }], finish_reason: stop }]);
}

/** Converts a time to a date, because OpenTelemetry reads a small number as the time since the start of the process. */
function moment(atMs: number): Date {
  return new Date(atMs);
}
