// Names and outcomes of engine activities, in words for users.
import type { CompactionOutcome } from "palimpsest";
import type { SummaryWay } from "palimpsest/inspect";

/** The name of a request source, as bills show it. A host may add its own sources. */
export function sourceName(source: string): string {
  return SOURCES[source] ?? source;
}

const SOURCES: Readonly<Record<string, string>> = {
  main: "conversation",
  agent: "agents",
  agent_summary: "agents' status lines",
  compact: "compaction",
  compact_ahead: "summaries prepared in advance",
  session_notes: "session notes",
  extract_memories: "saving memories",
  recall_memories: "searching memories",
  dream: "tidying up memories",
  "keep-warm": "keeping the cache warm",
  retries: "interrupted tries",
};

/** Describes how the summary of a compaction was made. */
export function summaryWayName(way: string): string {
  return SUMMARY_METHODS[way as SummaryWay] ?? way;
}

const SUMMARY_METHODS: Readonly<Record<SummaryWay, string>> = {
  notes: "from the session notes",
  fork: "summary by the model",
  direct: "summary by the model, from a transcript",
  "in-parts": "summary by the model, in several parts",
  prepared: "summary prepared by the model",
  function: "summary by the policy's own code",
  none: "without a summary",
  provider: "by the provider",
};

/** Describes the result of a compaction for the command line. */
export function outcomeText(outcome: CompactionOutcome): string {
  if (outcome.kind === "aborted") return "Stopped. The conversation is unchanged.";
  if (outcome.kind !== "compacted") return `Not compacted: ${outcome.why}`;
  const { tokensBefore, tokensAfter, summary, modelCalls, priceUsd } = outcome;
  const price = priceUsd === undefined ? "" : `, $${priceUsd.toFixed(4)}`;
  const [before, after] = [tokensBefore, tokensAfter].map((tokens) => tokens.toLocaleString("en-US"));
  return `Compacted: ${before} -> ${after} tokens (${summaryWayName(summary.way)}, ${modelCalls} calls${price}). To undo it: palimpsest sessions undo`;
}
