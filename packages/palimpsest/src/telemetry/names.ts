/**
 * Every name that leaves the process: those of the OpenTelemetry conventions for generative AI (`gen_ai.`, in development as
 * of version 1.37, and so in one place) and those that are ours (`palimpsest.`). Dashboards are built on them.
 */
export const SPANS = {
  request: "chat",
  compaction: "palimpsest.compaction",
} as const;

export const METRICS = {
  tokenUsage: "gen_ai.client.token.usage",
  operationDuration: "gen_ai.client.operation.duration",
  cost: "palimpsest.cost",
  promptTokens: "palimpsest.prompt.tokens",
  turns: "palimpsest.turns",
  cacheBreaks: "palimpsest.cache.breaks",
  cacheBreakTokens: "palimpsest.cache.break.tokens",
  compactions: "palimpsest.compactions",
  compactionsDue: "palimpsest.compactions.due",
  compactionTokensBefore: "palimpsest.compaction.tokens.before",
  compactionTokensAfter: "palimpsest.compaction.tokens.after",
  notesDeclined: "palimpsest.notes.declined",
  notesUpdates: "palimpsest.notes.updates",
  clearings: "palimpsest.clearings",
  clearedResults: "palimpsest.cleared.results",
  clearedTokens: "palimpsest.cleared.tokens",
  storedResults: "palimpsest.stored.results",
  storedBytes: "palimpsest.stored.bytes",
  storingFailures: "palimpsest.storing.failures",
  recalls: "palimpsest.recalls",
  extractions: "palimpsest.memory.extractions",
  memories: "palimpsest.memory.extracted",
  memoryVerdicts: "palimpsest.memory.verdicts",
  dreams: "palimpsest.dreams",
  forks: "palimpsest.forks",
  forkCacheHitRate: "palimpsest.fork.cache_hit_rate",
  breakerTrips: "palimpsest.breaker.trips",
  rejectedSettings: "palimpsest.settings.rejected",
  flagOutages: "palimpsest.flags.outages",
  restoredFiles: "palimpsest.restored.files",
  hookRuns: "palimpsest.hook.runs",
  hookFailures: "palimpsest.hook.failures",
} as const;

export type MetricName = keyof typeof METRICS;

export const ATTRIBUTES = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  responseId: "gen_ai.response.id",
  finishReasons: "gen_ai.response.finish_reasons",
  session: "gen_ai.conversation.id",
  tool: "gen_ai.tool.name",
  tokenType: "gen_ai.token.type",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  /** Content: only when it was asked for. */
  outputMessages: "gen_ai.output.messages",
  errorType: "error.type",
  source: "palimpsest.source",
  cost: "palimpsest.cost",
  promptPart: "palimpsest.prompt.part",
  cause: "palimpsest.cache.cause",
  sort: "palimpsest.cache.break.sort",
  trigger: "palimpsest.trigger",
  rung: "palimpsest.rung",
  way: "palimpsest.way",
  outcome: "palimpsest.outcome",
  reason: "palimpsest.reason",
  by: "palimpsest.by",
  of: "palimpsest.of",
  hookEvent: "palimpsest.hook.event",
  tokensBefore: "palimpsest.tokens.before",
  tokensAfter: "palimpsest.tokens.after",
  earlierCompactions: "palimpsest.compactions.earlier",
  turnsSincePrevious: "palimpsest.compactions.turns_since_previous",
  /** Content: only when it was asked for. */
  summary: "palimpsest.summary",
} as const;
