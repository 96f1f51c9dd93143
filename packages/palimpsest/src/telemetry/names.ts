/**
 * All names that leave the process: those of the OpenTelemetry conventions for generative AI (`gen_ai.`, which still change as of
 * version 1.37, so they are kept in one place) and our own (`palimpsest.`). Dashboards depend on these names.
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
  interruptedAnswers: "palimpsest.answers.interrupted",
  truncatedInputs: "palimpsest.inputs.truncated",
  guessedModels: "palimpsest.models.guessed",
  overriddenParameters: "palimpsest.parameters.overridden",
  pings: "palimpsest.cache.pings",
  cacheBreaks: "palimpsest.cache.breaks",
  cacheBreakTokens: "palimpsest.cache.break.tokens",
  compactions: "palimpsest.compactions",
  compactionsDue: "palimpsest.compactions.due",
  compactionsAnnounced: "palimpsest.compactions.announced",
  compactionTokensBefore: "palimpsest.compaction.tokens.before",
  compactionTokensAfter: "palimpsest.compaction.tokens.after",
  compactionsDegraded: "palimpsest.compactions.degraded",
  summariesPrepared: "palimpsest.summaries.prepared",
  preparedDropped: "palimpsest.summaries.prepared.dropped",
  notesDeclined: "palimpsest.notes.declined",
  notesUpdates: "palimpsest.notes.updates",
  clearings: "palimpsest.clearings",
  clearedResults: "palimpsest.cleared.results",
  ruleFailures: "palimpsest.rule.failures",
  policyChanges: "palimpsest.policy.changes",
  clearedTokens: "palimpsest.cleared.tokens",
  storedResults: "palimpsest.stored.results",
  storedBytes: "palimpsest.stored.bytes",
  mediaRefusals: "palimpsest.media.refusals",
  storingFailures: "palimpsest.storing.failures",
  collectedBytes: "palimpsest.collected.bytes",
  collectingFailures: "palimpsest.collecting.failures",
  recalls: "palimpsest.recalls",
  extractions: "palimpsest.memory.extractions",
  memories: "palimpsest.memory.extracted",
  memoriesWaiting: "palimpsest.memory.waiting",
  memoryVerdicts: "palimpsest.memory.verdicts",
  dreams: "palimpsest.dreams",
  forks: "palimpsest.forks",
  forkCacheHitRate: "palimpsest.fork.cache_hit_rate",
  forkCacheExpected: "palimpsest.fork.cache.expected",
  forkCacheRead: "palimpsest.fork.cache.read",
  forkCacheMisses: "palimpsest.fork.cache.misses",
  breakerTrips: "palimpsest.breaker.trips",
  rejectedSettings: "palimpsest.settings.rejected",
  flagOutages: "palimpsest.flags.outages",
  restoredFiles: "palimpsest.restored.files",
  hookRuns: "palimpsest.hook.runs",
  hookFailures: "palimpsest.hook.failures",
  mail: "palimpsest.mail",
} as const;

export type MetricName = keyof typeof METRICS;

/** The metrics of a store in a database, by the conventions for database clients (`db.client.`), and our own. */
export const DATABASE_METRICS = {
  operationDuration: "db.client.operation.duration",
  connections: "db.client.connection.count",
  maxConnections: "db.client.connection.max",
  pendingRequests: "db.client.connection.pending_requests",
  refusals: "palimpsest.database.refusals",
  heartbeatLag: "palimpsest.database.heartbeat.lag",
} as const;

/** The spans of a fleet's turns: the operations of agents in the conventions, and the wait of a message for a worker. */
export const FLEET_SPANS = {
  turn: "invoke_agent",
  tool: "execute_tool",
  queued: "palimpsest.queued",
} as const;

/** The metrics of a fleet's workers, and of the work of the whole fleet. */
export const FLEET_METRICS = {
  runs: "palimpsest.fleet.runs",
  runDuration: "palimpsest.fleet.run.duration",
  stepDuration: "palimpsest.fleet.step.duration",
  waitDuration: "palimpsest.fleet.wait.duration",
  resumed: "palimpsest.fleet.turns.resumed",
  postponed: "palimpsest.fleet.runs.postponed",
  setAside: "palimpsest.fleet.sessions.set_aside",
  openSessions: "palimpsest.fleet.sessions.open",
  queueDepth: "palimpsest.fleet.queue.depth",
  queueAge: "palimpsest.fleet.queue.age",
  inboxItems: "palimpsest.fleet.inbox.items",
  inboxAge: "palimpsest.fleet.inbox.age",
  questions: "palimpsest.fleet.questions",
} as const;

/** The metrics of a server's requests, by the conventions for HTTP servers. */
export const HTTP_METRICS = {
  requestDuration: "http.server.request.duration",
} as const;

export const ATTRIBUTES = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  responseId: "gen_ai.response.id",
  finishReasons: "gen_ai.response.finish_reasons",
  session: "gen_ai.conversation.id",
  tool: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  tokenType: "gen_ai.token.type",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  /** Content: only if the option `content` includes it. */
  outputMessages: "gen_ai.output.messages",
  errorType: "error.type",
  databaseSystem: "db.system.name",
  databaseOperation: "db.operation.name",
  poolName: "db.client.connection.pool.name",
  connectionState: "db.client.connection.state",
  httpMethod: "http.request.method",
  httpRoute: "http.route",
  httpStatus: "http.response.status_code",
  httpOperation: "palimpsest.http.operation",
  source: "palimpsest.source",
  cost: "palimpsest.cost",
  promptPart: "palimpsest.prompt.part",
  cause: "palimpsest.cache.cause",
  sort: "palimpsest.cache.break.sort",
  /** On the span of a fork's first request: the tokens that its parent had left in the cache. */
  forkExpectedTokens: "palimpsest.fork.cache.expected_tokens",
  trigger: "palimpsest.trigger",
  compactionReason: "palimpsest.compaction.reason",
  summaryForm: "palimpsest.summary.form",
  summaryMet: "palimpsest.summary.met",
  summaryWay: "palimpsest.summary.way",
  way: "palimpsest.way",
  rule: "palimpsest.rule",
  where: "palimpsest.rule.function",
  outcome: "palimpsest.outcome",
  reason: "palimpsest.reason",
  by: "palimpsest.by",
  of: "palimpsest.of",
  estimated: "palimpsest.estimated",
  hookEvent: "palimpsest.hook.event",
  tenant: "palimpsest.tenant",
  run: "palimpsest.run.number",
  attempt: "palimpsest.run.attempt",
  /** Why a turn of an earlier run continues: `crash` or `resume`. */
  continued: "palimpsest.turn.continued",
  step: "palimpsest.step",
  state: "palimpsest.state",
  tokensBefore: "palimpsest.tokens.before",
  tokensAfter: "palimpsest.tokens.after",
  earlierCompactions: "palimpsest.compactions.earlier",
  turnsSincePrevious: "palimpsest.compactions.turns_since_previous",
  /** Content: only if the option `content` includes it. */
  summary: "palimpsest.summary",
} as const;
