import { inputTokensOf } from "../log/input-tokens.ts";
import type { CompactionEnded } from "../session-event/compaction-events.ts";
import type { AnswerInterrupted, ResponseRecorded, SessionEvent } from "../session-event.ts";
import { ATTRIBUTES as A, type MetricName } from "./names.ts";

export interface Measurement {
  readonly metric: MetricName;
  readonly value: number;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Returns the measurements of an event. Attributes take few values, because each combination is a series of its own: never a
 * session, an entry, or a text. A new kind of event does not compile until it is handled here.
 */
export function measure(event: SessionEvent): readonly Measurement[] {
  switch (event.kind) {
    case "turn-started":
      return [one("turns")];
    case "response-recorded":
      return measureResponse(event, event.atMs);
    case "answer-interrupted":
      return measureInterruption(event);
    case "input-truncated":
      return [one("truncatedInputs", { [A.requestModel]: event.model })];
    case "model-guessed":
      return [one("guessedModels", { [A.requestModel]: event.model })];
    case "parameter-overridden":
      return [one("overriddenParameters", { [A.of]: event.parameter })];
    case "cache-warmed":
      // The cost is counted with the response.
      return [one("pings", { [A.of]: event.activity })];
    case "cache-broken": {
      const attributes = { [A.cause]: event.causes[0] ?? "server", [A.sort]: event.sort, [A.source]: event.source };
      return [one("cacheBreaks", attributes), { metric: "cacheBreakTokens", value: event.rebilledTokens, attributes }];
    }
    case "result-stored": {
      const attributes = { [A.way]: event.way, ...(event.tool === undefined ? {} : { [A.tool]: event.tool }) };
      return [one("storedResults", attributes), { metric: "storedBytes", value: event.bytes, attributes }];
    }
    case "storing-failed":
      return [one("storingFailures")];
    case "results-collected":
      return [
        { metric: "collectedBytes", value: event.bytes, attributes: {} },
        { metric: "collectingFailures", value: event.failures, attributes: {} },
      ];
    case "media-refused":
      return [one("mediaRefusals", { [A.by]: event.by, [A.cause]: event.problem })];
    case "results-cleared": {
      const attributes = { [A.way]: event.way, [A.trigger]: event.trigger };
      return [
        one("clearings", attributes),
        { metric: "clearedResults", value: event.count, attributes },
        { metric: "clearedTokens", value: event.shedTokens, attributes },
      ];
    }
    case "recalled":
      return [one("recalls", { [A.by]: event.by, [A.outcome]: event.outcome })];
    case "compaction-due":
      return [one("compactionsDue", { [A.compactionReason]: event.reason })];
    case "compaction-announced":
      return [one("compactionsAnnounced", { [A.compactionReason]: event.reason })];
    case "compaction-started":
      return notCounted("it is counted when it has ended, by how it ended");
    case "compaction-progressed":
      return notCounted("it is an event in the span of its compaction");
    case "compaction-ended":
      return measureCompaction(event);
    case "notes-updated":
      return [one("notesUpdates", { [A.outcome]: event.outcome })];
    case "notes-compaction-declined":
      return [one("notesDeclined", { [A.reason]: event.reason })];
    case "memories-extracted":
      return [
        one("extractions", { [A.outcome]: event.outcome }),
        { metric: "memories", value: event.count, attributes: {} },
      ];
    case "memories-waiting":
      return [{ metric: "memoriesWaiting", value: event.count, attributes: {} }];
    case "memory-judged":
      return [one("memoryVerdicts", { [A.outcome]: event.verdict })];
    case "dreamed":
      return [one("dreams", { [A.outcome]: event.outcome })];
    case "forked": {
      const attributes = { [A.source]: event.source, [A.outcome]: event.outcome };
      const inputTokens = inputTokensOf(event.used);
      const value = event.used.cacheReadTokens / inputTokens;
      return [
        one("forks", attributes),
        ...(inputTokens === 0 ? [] : [{ metric: "forkCacheHitRate" as const, value, attributes }]),
      ];
    }
    case "breaker-tripped":
      return [one("breakerTrips", { [A.of]: event.of })];
    case "settings-rejected":
      return event.problems.map(({ source }) => one("rejectedSettings", { [A.source]: source }));
    case "flags-failed":
      return [one("flagOutages")];
    case "flags-recovered":
      return notCounted("an outage is counted when it begins");
    case "files-restored":
      return Object.entries({ put_back: event.putBack, skipped: event.skipped, failed: event.failed }).map(
        ([outcome, value]) => ({ metric: "restoredFiles", value, attributes: { [A.outcome]: outcome } }),
      );
    case "agent-changed":
      return notCounted("what agents do is counted in their own sessions");
    case "mail-arrived":
      return [{ metric: "mail", value: event.count, attributes: {} }];
    case "hooks-ran": {
      const of = { [A.hookEvent]: event.event };
      return [
        one("hookRuns", { ...of, [A.outcome]: event.blocked === undefined ? "ok" : "blocked" }),
        ...event.failures.map(({ kind }) => one("hookFailures", { ...of, [A.errorType]: kind })),
      ];
    }
  }
}

function measureResponse(event: ResponseRecorded, atMs: number): readonly Measurement[] {
  const attributes = {
    [A.operation]: "chat",
    [A.provider]: event.provider,
    [A.requestModel]: event.requestModel,
    [A.responseModel]: event.model,
    [A.source]: event.source,
  };
  const typed = { input: inputTokensOf(event), output: event.outputTokens };
  const parts = { fresh: event.freshTokens, cache_read: event.cacheReadTokens, cache_write: event.cacheWriteTokens };
  const seconds = Math.max(0, atMs - event.requestedAtMs) / 1_000;
  return [
    ...Object.entries(typed).map(([type, value]) => ({
      metric: "tokenUsage" as const,
      value,
      attributes: { ...attributes, [A.tokenType]: type },
    })),
    ...Object.entries(parts).map(([part, value]) => ({
      metric: "promptTokens" as const,
      value,
      attributes: { ...attributes, [A.promptPart]: part },
    })),
    { metric: "operationDuration", value: seconds, attributes },
    ...costOf(event.priceUsd, attributes),
  ];
}

function measureInterruption(event: AnswerInterrupted): readonly Measurement[] {
  const { provider, requestModel, model, source, used, priceUsd, estimated = "nothing" } = event;
  const attributes = {
    [A.operation]: "chat",
    [A.provider]: provider,
    [A.requestModel]: requestModel,
    [A.responseModel]: model,
    [A.source]: source,
  };
  const typed = used === undefined ? {} : { input: inputTokensOf(used), output: used.outputTokens };
  return [
    one("interruptedAnswers", { [A.source]: source, [A.outcome]: event.view, [A.estimated]: estimated }),
    ...Object.entries(typed).map(([type, value]) => ({
      metric: "tokenUsage" as const,
      value,
      attributes: { ...attributes, [A.tokenType]: type },
    })),
    ...costOf(priceUsd, attributes),
  ];
}

function costOf(priceUsd: number | undefined, attributes: Measurement["attributes"]): readonly Measurement[] {
  return priceUsd === undefined ? [] : [{ metric: "cost", value: priceUsd, attributes }];
}

function measureCompaction({ outcome, reason }: CompactionEnded): readonly Measurement[] {
  switch (outcome.kind) {
    case "compacted": {
      const attributes = { [A.rung]: outcome.rung };
      return [
        one("compactions", { ...attributes, [A.outcome]: "compacted", [A.compactionReason]: reason }),
        { metric: "compactionTokensBefore", value: outcome.tokensBefore, attributes },
        { metric: "compactionTokensAfter", value: outcome.tokensAfter, attributes },
      ];
    }
    case "declined":
      return [one("compactions", { [A.outcome]: "declined", [A.compactionReason]: reason })];
    case "failed": {
      const attributes = { [A.outcome]: "failed", [A.errorType]: outcome.failure, [A.compactionReason]: reason };
      return [one("compactions", attributes)];
    }
  }
}

/** Each kind without a metric has its reason here. */
function notCounted(_because: string): readonly Measurement[] {
  return [];
}

function one(metric: MetricName, attributes: Measurement["attributes"] = {}): Measurement {
  return { metric, value: 1, attributes };
}
