import type { Meter } from "@opentelemetry/api";
import type { Measurement } from "./measure.ts";
import { METRICS, type MetricName } from "./names.ts";

/** A counter, or with boundaries a histogram. */
interface MetricForm {
  readonly unit: string;
  readonly what: string;
  readonly boundaries?: readonly number[];
}

const TOKEN_BOUNDARIES: readonly number[] = Array.from({ length: 14 }, (_, power) => 4 ** power);

const tokens = (what: string): MetricForm => ({ unit: "{token}", what, boundaries: TOKEN_BOUNDARIES });

/** The boundaries of tokens and of durations are those of the conventions. */
const FORMS: Readonly<Record<MetricName, MetricForm>> = {
  tokenUsage: tokens("Input and output tokens of a call; input with what was cached of it."),
  operationDuration: {
    unit: "s",
    what: "From the request being made ready to its response being recorded.",
    boundaries: Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power),
  },
  cost: { unit: "USD", what: "What responses cost, of models whose prices are known." },
  promptTokens: { unit: "{token}", what: "Input by how it was billed: fresh, read from the cache, written to it." },
  turns: { unit: "{turn}", what: "Turns of the user." },
  interruptedAnswers: { unit: "{answer}", what: "Answers that were stopped before they were whole." },
  truncatedInputs: { unit: "{request}", what: "Requests of which the server read only a part, without saying so." },
  guessedModels: { unit: "{model}", what: "Models whose window nobody knows, so that a guess is taken." },
  overriddenParameters: { unit: "{parameter}", what: "Parameters that are not sent as they were given." },
  pings: { unit: "{request}", what: "Requests that only keep a prompt in the cache." },
  cacheBreaks: { unit: "{break}", what: "Requests that read less from the cache than the one before had left there." },
  cacheBreakTokens: { unit: "{token}", what: "Paid for again because of such breaks." },
  compactions: { unit: "{compaction}", what: "Compactions by how they ended." },
  compactionsDue: { unit: "{compaction}", what: "Compactions that were due and left to the host." },
  compactionsAnnounced: { unit: "{compaction}", what: "Compactions that the user was told of before they were made." },
  compactionTokensBefore: tokens("The size of the view before a compaction."),
  compactionTokensAfter: tokens("The size of the view after a compaction."),
  notesDeclined: { unit: "{compaction}", what: "Times that the notes could not stand in for a summary." },
  notesUpdates: { unit: "{update}", what: "Updates of the notes." },
  clearings: { unit: "{clearing}", what: "Times that stale results were cleared." },
  clearedResults: { unit: "{result}", what: "Results that were cleared." },
  clearedTokens: { unit: "{token}", what: "What clearing has taken out of the view, by estimate." },
  storedResults: { unit: "{result}", what: "Contents that went to a file." },
  storedBytes: { unit: "By", what: "What went to files." },
  collectedBytes: { unit: "By", what: "Stored results of old sessions that were removed." },
  collectingFailures: { unit: "{session}", what: "Sessions whose old results could not be removed." },
  mediaRefusals: {
    unit: "{media}",
    what: "Images and documents that are shown as a stub, by who refused them and why.",
  },
  storingFailures: { unit: "{result}", what: "Contents that were too large and could not be stored." },
  recalls: { unit: "{recall}", what: "Times that something was asked for that the view did not show any more." },
  extractions: { unit: "{extraction}", what: "Extractions of memories." },
  memories: { unit: "{memory}", what: "Memories that were extracted." },
  memoriesWaiting: {
    unit: "{memory}",
    what: "How many proposals wait in the inbox, each time that it is told.",
    boundaries: [1, 2, 5, 10, 20, 50],
  },
  memoryVerdicts: { unit: "{memory}", what: "Memories that were confirmed, corrected or rejected." },
  dreams: { unit: "{dream}", what: "Consolidations of the memory." },
  forks: { unit: "{fork}", what: "Calls that shared a session's prefix." },
  forkCacheHitRate: {
    unit: "1",
    what: "The share of a fork's input that was read from the cache.",
    boundaries: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99],
  },
  breakerTrips: { unit: "{trip}", what: "Times that something was given up after failing in a row." },
  rejectedSettings: { unit: "{setting}", what: "Settings that were given and could not be used, by their source." },
  flagOutages: { unit: "{outage}", what: "Times that the flag service began to fail." },
  restoredFiles: { unit: "{file}", what: "Files after a compaction: put back, skipped, failed." },
  hookRuns: { unit: "{run}", what: "Events at which hooks were run." },
  hookFailures: { unit: "{failure}", what: "Hooks that failed." },
  mail: { unit: "{message}", what: "Messages of other sessions that have arrived." },
};

/** Creates all metrics from a meter, once; returns the function that records measurements. */
export function createInstruments(meter: Meter): (measurement: Measurement) => void {
  const takers = new Map(
    Object.entries(FORMS).map(([metric, { unit, what: description, boundaries }]) => {
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
  return ({ metric, value, attributes }) => takers.get(metric)!(value, attributes);
}
