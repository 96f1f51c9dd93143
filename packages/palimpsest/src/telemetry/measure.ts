// Turns session events into measurements, and creates the metrics that record them.

import type { Meter } from "@opentelemetry/api";
import { inputTokensOf } from "../log/usage.ts";
import type {
  AnswerInterrupted,
  CompactionEnded,
  ResponseRecorded,
  SessionEvent,
  UsedTokens,
} from "../session-event.ts";
import { ATTRIBUTES as A, METRICS, type MetricName } from "./names.ts";

/**
 * Returns the measurements of an event. Attributes have few values, because each combination is a separate series: never a
 * session, an entry, or a text. A new kind of event does not compile until it is handled here.
 */
export function measure(event: SessionEvent): readonly Measurement[] {
  switch (event.kind) {
    case "turn-started":
      return [one("turns")];
    case "response-recorded":
      return measureResponse(event);
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
      const attributes = { [A.rule]: event.rule, [A.by]: event.by, [A.trigger]: event.trigger };
      return [
        one("clearings", attributes),
        { metric: "clearedResults", value: event.count, attributes },
        { metric: "clearedTokens", value: event.tokensFreed, attributes },
      ];
    }
    case "rule-failed":
      return [one("ruleFailures", { [A.rule]: event.rule, [A.where]: event.where })];
    case "policy-changed":
      return [one("policyChanges", {})];
    case "recalled":
      return [one("recalls", { [A.by]: event.by, [A.outcome]: event.outcome })];
    case "compaction-due":
      return [one("compactionsDue", { [A.compactionReason]: event.reason })];
    case "compaction-announced":
      return [one("compactionsAnnounced", { [A.compactionReason]: event.reason })];
    case "compaction-started":
      return notCounted("a compaction is counted at its end, by outcome");
    case "compaction-progressed":
      return notCounted("the progress is an event in the span of the compaction");
    case "compaction-ended":
      return measureCompaction(event);
    case "compaction-degraded":
      return [one("compactionsDegraded", { [A.outcome]: event.summary, [A.reason]: event.reason })];
    case "summary-prepared":
      return [one("summariesPrepared", {})];
    case "prepared-summary-dropped":
      return [one("preparedDropped", { [A.reason]: event.reason })];
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
    case "fork-missed-cache":
      return [one("forkCacheMisses", { [A.source]: event.source, [A.cause]: event.causes[0] ?? "server" })];
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
      return notCounted("the work of agents is counted in their own sessions");
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

interface Measurement {
  readonly metric: MetricName;
  readonly value: number;
  readonly attributes: Readonly<Record<string, string>>;
}

function measureResponse(event: ResponseRecorded & SessionEvent): readonly Measurement[] {
  const attributes = callAttributes(event);
  const parts = { fresh: event.freshTokens, cache_read: event.cacheReadTokens, cache_write: event.cacheWriteTokens };
  const seconds = Math.max(0, event.atMs - event.requestedAtMs) / 1_000;
  return [
    ...tokenUsage(event, attributes),
    ...Object.entries(parts).map(([part, value]) => ({
      metric: "promptTokens" as const,
      value,
      attributes: { ...attributes, [A.promptPart]: part },
    })),
    { metric: "operationDuration", value: seconds, attributes },
    ...costOf(event.priceUsd, attributes),
    ...measureForkRead(event),
  ];
}

/** What the first request of a fork should have read from the cache of its parent, and what it has read. */
function measureForkRead({ source, forkExpectedTokens, cacheReadTokens }: ResponseRecorded): readonly Measurement[] {
  if (forkExpectedTokens === undefined) return [];
  const attributes = { [A.source]: source };
  return [
    { metric: "forkCacheExpected", value: forkExpectedTokens, attributes },
    { metric: "forkCacheRead", value: cacheReadTokens, attributes },
  ];
}

function measureInterruption(event: AnswerInterrupted): readonly Measurement[] {
  const { source, used, priceUsd, estimated = "nothing" } = event;
  const attributes = callAttributes(event);
  return [
    one("interruptedAnswers", { [A.source]: source, [A.outcome]: event.view, [A.estimated]: estimated }),
    ...(used === undefined ? [] : tokenUsage(used, attributes)),
    ...costOf(priceUsd, attributes),
  ];
}

type ModelCall = Pick<ResponseRecorded, "provider" | "requestModel" | "model" | "source">;

function callAttributes({ provider, requestModel, model, source }: ModelCall): Measurement["attributes"] {
  return {
    [A.operation]: "chat",
    [A.provider]: provider,
    [A.requestModel]: requestModel,
    [A.responseModel]: model,
    [A.source]: source,
  };
}

function tokenUsage(used: UsedTokens, attributes: Measurement["attributes"]): readonly Measurement[] {
  const tokensByType = { input: inputTokensOf(used), output: used.outputTokens };
  return Object.entries(tokensByType).map(([type, value]) => ({
    metric: "tokenUsage",
    value,
    attributes: { ...attributes, [A.tokenType]: type },
  }));
}

function costOf(priceUsd: number | undefined, attributes: Measurement["attributes"]): readonly Measurement[] {
  return priceUsd === undefined ? [] : [{ metric: "cost", value: priceUsd, attributes }];
}

function measureCompaction({ outcome, reason }: CompactionEnded): readonly Measurement[] {
  switch (outcome.kind) {
    case "compacted": {
      const { way, form, met } = outcome.summary;
      const attributes = { [A.summaryWay]: way, [A.summaryForm]: form, [A.summaryMet]: String(met) };
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

/** Returns no measurements. The parameter documents why an event has no metric. */
function notCounted(_because: string): readonly Measurement[] {
  return [];
}

function one(metric: MetricName, attributes: Measurement["attributes"] = {}): Measurement {
  return { metric, value: 1, attributes };
}

/** Creates all metrics of a meter, and returns the function that records measurements. */
export function createInstruments(meter: Meter): (measurement: Measurement) => void {
  const recorders = new Map(
    Object.entries(DEFINITIONS).map(([metric, { unit, description, boundaries }]) => {
      const name = METRICS[metric as MetricName];
      if (boundaries === undefined) {
        const counter = meter.createCounter(name, { unit, description });
        return [metric, counter.add.bind(counter)];
      }
      const advice = { explicitBucketBoundaries: [...boundaries] };
      const histogram = meter.createHistogram(name, { unit, description, advice });
      return [metric, histogram.record.bind(histogram)];
    }),
  );
  return ({ metric, value, attributes }) => recorders.get(metric)!(value, attributes);
}

/** The definition of a metric: a histogram if it has boundaries, otherwise a counter. */
interface MetricDefinition {
  readonly unit: string;
  readonly description: string;
  readonly boundaries?: readonly number[];
}

const TOKEN_BOUNDARIES: readonly number[] = Array.from({ length: 14 }, (_, power) => 4 ** power);

const tokens = (description: string): MetricDefinition => ({
  unit: "{token}",
  description,
  boundaries: TOKEN_BOUNDARIES,
});

/** The definition of each metric. Tokens and durations have the boundaries that the conventions recommend. */
const DEFINITIONS: Readonly<Record<MetricName, MetricDefinition>> = {
  tokenUsage: tokens("Input and output tokens of a call. Input includes cached tokens."),
  operationDuration: {
    unit: "s",
    description: "The time from preparing a request to recording its response.",
    boundaries: Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power),
  },
  cost: { unit: "USD", description: "The cost of responses of models with known prices." },
  promptTokens: {
    unit: "{token}",
    description: "Input tokens by price: fresh, read from the cache, written to the cache.",
  },
  turns: { unit: "{turn}", description: "Turns of the user." },
  interruptedAnswers: { unit: "{answer}", description: "Answers that were stopped before they were complete." },
  truncatedInputs: { unit: "{request}", description: "Requests that the server truncated without an error." },
  guessedModels: { unit: "{model}", description: "Models with an unknown context window, for which a guess is used." },
  overriddenParameters: {
    unit: "{parameter}",
    description: "Parameters that are sent with another value than the host set.",
  },
  pings: { unit: "{request}", description: "Requests that only keep a prompt in the cache." },
  cacheBreaks: {
    unit: "{break}",
    description: "Requests that read less from the cache than the previous request left there.",
  },
  cacheBreakTokens: { unit: "{token}", description: "Tokens that were billed again because of cache breaks." },
  compactions: { unit: "{compaction}", description: "Compactions by outcome." },
  compactionsDue: { unit: "{compaction}", description: "Compactions that were due and that the host must start." },
  compactionsAnnounced: {
    unit: "{compaction}",
    description: "Compactions that were announced to the user in advance.",
  },
  compactionTokensBefore: tokens("The size of the view before a compaction."),
  compactionTokensAfter: tokens("The size of the view after a compaction."),
  compactionsDegraded: {
    unit: "{compaction}",
    description: "Compactions without a summary, or with one that does not meet its form.",
  },
  summariesPrepared: { unit: "{summary}", description: "Summaries that were written before a compaction needed them." },
  preparedDropped: { unit: "{summary}", description: "Prepared summaries that no compaction will use, by reason." },
  notesDeclined: { unit: "{compaction}", description: "Compactions for which the notes could not replace a summary." },
  notesUpdates: { unit: "{update}", description: "Updates of the notes." },
  clearings: { unit: "{clearing}", description: "Times that stale results were cleared." },
  clearedResults: { unit: "{result}", description: "Results that were cleared." },
  ruleFailures: { unit: "{failure}", description: "Failures of rules of a policy." },
  policyChanges: { unit: "{change}", description: "Sessions that were opened with another policy than before." },
  clearedTokens: { unit: "{token}", description: "Estimated tokens that clearing removed from the view." },
  storedResults: { unit: "{result}", description: "Contents that were stored in a file." },
  storedBytes: { unit: "By", description: "Bytes that were stored in files." },
  collectedBytes: { unit: "By", description: "Stored results of old sessions that were removed." },
  collectingFailures: { unit: "{session}", description: "Sessions whose old results could not be removed." },
  mediaRefusals: {
    unit: "{media}",
    description: "Images and documents that were replaced by a stub, by source and cause.",
  },
  storingFailures: { unit: "{result}", description: "Large contents that could not be stored." },
  recalls: { unit: "{recall}", description: "Recalls of content that the view no longer shows." },
  extractions: { unit: "{extraction}", description: "Extractions of memories." },
  memories: { unit: "{memory}", description: "Memories that were extracted." },
  memoriesWaiting: {
    unit: "{memory}",
    description: "The number of proposals in the inbox, at each report.",
    boundaries: [1, 2, 5, 10, 20, 50],
  },
  memoryVerdicts: { unit: "{memory}", description: "Memories that were confirmed, corrected or rejected." },
  dreams: { unit: "{dream}", description: "Consolidations of the memory." },
  forks: { unit: "{fork}", description: "Calls that shared a session's prefix." },
  forkCacheHitRate: {
    unit: "1",
    description: "The share of a fork's input that was read from the cache.",
    boundaries: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99],
  },
  forkCacheExpected: {
    unit: "{token}",
    description: "Tokens that parents had left in the cache for the first requests of their forks.",
  },
  forkCacheRead: {
    unit: "{token}",
    description: "Tokens that the first requests of forks read from the cache.",
  },
  forkCacheMisses: {
    unit: "{fork}",
    description: "Forks whose first request read less than 95% of what the parent had left in the cache, by cause.",
  },
  breakerTrips: { unit: "{trip}", description: "Features that were switched off after repeated failures." },
  rejectedSettings: { unit: "{setting}", description: "Settings that were rejected, by source." },
  flagOutages: { unit: "{outage}", description: "Times that the flag service began to fail." },
  restoredFiles: { unit: "{file}", description: "Files after a compaction: rehydrated, skipped or failed." },
  hookRuns: { unit: "{run}", description: "Events at which hooks ran." },
  hookFailures: { unit: "{failure}", description: "Hooks that failed." },
  mail: { unit: "{message}", description: "Messages that arrived from other sessions." },
};
