export type { CostQuestion, NextRequestCost, SessionCost } from "./cache/cost.ts";
export { findDrop, isExpected, nameCauses } from "./cache/find-break.ts";
export type { CacheBreak, CauseTotals, LedgerLine, LedgerTotals, SpentTokens } from "./cache/ledger.ts";
export { type BilledTokens, priceUsd } from "./cache/prices.ts";
export type {
  Block,
  Media,
  MediaSource,
  Native,
  Opaque,
  Part,
  Text,
  Thinking,
  ToolCall,
  ToolResult,
} from "./log/block.ts";
export type { CacheDiagnosis, CacheEffects, CacheFacts, Cause, ChangeCause, PromptChange } from "./log/cause.ts";
export { type ChainProblem, checkChain } from "./log/check-chain.ts";
export { type Digest, type Draft, EMPTY_LOG, type Entry, type LogHead } from "./log/entry.ts";
export { fromLine, toLine } from "./log/entry-line.ts";
export { entryText } from "./log/entry-text.ts";
export { InvalidOptionError } from "./log/invalid-option-error.ts";
export { detectMediaType } from "./log/media-type.ts";
export { PalimpsestError } from "./log/palimpsest-error.ts";
export type {
  AttachmentPayload,
  CompactionRecord,
  CompactionRung,
  CompactionTrigger,
  MessagePayload,
  Payloads,
  PutBackPart,
  Replacement,
  StoredContent,
  ToolDefinition,
  UsagePayload,
} from "./log/payload.ts";
export type { ModelPrices, TokenPrices } from "./log/prices.ts";
export type {
  AppliedEdits,
  AskedOfProvider,
  DeletedResult,
  KeptThinking,
  ProviderEdits,
  ResultEdits,
} from "./log/provider-edits.ts";
export { type PassedOver, type ReadEntry, readPayload } from "./log/read-payload.ts";
export { type SealOptions, sealEntries } from "./log/seal-entries.ts";
export { type KnownModel, knownModel } from "./providers/known-model.ts";
export type { ExtraModels, ModelFacts, WindowSource } from "./providers/models.ts";
export { type Overflow, readOverflow } from "./providers/overflow.ts";
export type {
  Provider,
  ReportedUsage,
  ResponseContent,
  ResponseReport,
  SendOptions,
  ShownPart,
  StreamPart,
} from "./providers/provider.ts";
export { ProviderError, type ProviderFailure } from "./providers/provider-error.ts";
export { readStream } from "./providers/read-stream.ts";
export { withModels } from "./providers/with-models.ts";
export { createInbox, type Inbox, type MemoryInbox } from "./query/inbox.ts";
export { createPartialAnswer, type PartialAnswer } from "./query/partial-answer.ts";
export type { Permission, PermissionAnswer, PermissionDecision, WantedCall } from "./query/permission.ts";
export { type QueryOptions, query } from "./query/query.ts";
export type { QueryEvent, QueryOutcome, ToolEnding } from "./query/query-event.ts";
export { recallFrom } from "./query/recall-from.ts";
export type { RetryOptions } from "./query/retry-delay.ts";
export type { Clock } from "./session/clock.ts";
export type {
  ApproveCompaction,
  CompactionOutcome,
  CompactOptions,
  NothingCause,
  Recovery,
} from "./session/compact/compact-options.ts";
export type { CompactionPoint } from "./session/compact/compaction-point.ts";
export type { ExplainedBoundary } from "./session/compact/explain.ts";
export type { NamedText, PlacedText, Surroundings } from "./session/compact/surroundings.ts";
export type { UsageOfOthers } from "./session/enter-usage.ts";
export type { Answer, AskedAlone, AskOptions, ForkOptions } from "./session/fork/fork-options.ts";
export type { InterruptedAnswer, InterruptionOptions, RecordedInterruption } from "./session/interrupted-answer.ts";
export type { KeepWarmOptions, KeptWarm } from "./session/keep-warm.ts";
export { attachment, commandOutput, notice, toolResult, user } from "./session/messages.ts";
export type { NotesOptions, NotesUpdateOutcome } from "./session/notes/notes-options.ts";
export { openSession } from "./session/open-session.ts";
export type { SessionTakeover } from "./session/open-writer.ts";
export { repairMessages } from "./session/repair-messages.ts";
export type { PrepareOptions, RecordedResponse, Session } from "./session/session.ts";
export {
  ForkError,
  InvalidContentError,
  NoSuchEntryError,
  NothingToSendError,
  PinTooLargeError,
  SessionBusyError,
  SessionLostError,
  UnknownRequestError,
  WindowFullError,
} from "./session/session-errors.ts";
export type { Range, SessionSize } from "./session/session-groups.ts";
export type { SessionOptions } from "./session/session-options.ts";
export { readSettings } from "./session/settings-reader.ts";
export type { SettingsOptions, SettingsSource } from "./session/settings-source.ts";
export type { StreamedResult } from "./session/streamed-result.ts";
export type { NewContent } from "./session/to-contents.ts";
export type { CompactionForecast, Happening, SessionEvent, UsedTokens } from "./session-event.ts";
export { type ParsedSetting, parseSetting } from "./settings/parse-setting.ts";
export { PROFILES } from "./settings/profiles.ts";
export type { FlagClient, FlagDetails } from "./settings/read-flags.ts";
export type { ResolvedSettings, SettingOrigins, SettingProblem } from "./settings/resolve-settings.ts";
export type { Profile, SettingName, Settings } from "./settings/settings.ts";
export { createEvidence, type EvidenceFold } from "./stages/compact/evidence/evidence.ts";
export type { Evidence } from "./stages/compact/evidence/evidence-state.ts";
export { type EvidenceTextOptions, evidenceText } from "./stages/compact/evidence/evidence-text.ts";
export { type FileBudgets, type PlannedFile, planFiles } from "./stages/compact/rehydrate/plan-files.ts";
export { type RankedFile, type RankFilesOptions, rankFiles } from "./stages/compact/rehydrate/rank-files.ts";
export type { Pin } from "./stages/compact/standing.ts";
export { type UserMessage, type UserMessagesOptions, userMessagesText } from "./stages/compact/user-messages.ts";
export type { SnipTarget } from "./stages/plan-snip.ts";
export type { TextPlace } from "./stages/recall/read-range.ts";
export { type Recalled, type RecallRequest, type RecallSources, recall } from "./stages/recall/recall.ts";
export { readRecallInput, recalledText, recallTool } from "./stages/recall/recall-tool.ts";
export type { FoundLine } from "./stages/recall/search-range.ts";
export type { Unsearched } from "./stages/recall/search-session.ts";
export type { CutContent, KeptContent, StoredEnds, StoringFailure } from "./stages/store-results/content.ts";
export type { PreviewShape } from "./stages/store-results/preview.ts";
export { type StoreStreamOptions, type StreamedContent, storeStream } from "./stages/store-results/store-stream.ts";
export { DEFAULT_STORING, type StoringOptions } from "./stages/store-results/storing-options.ts";
export { type CollectedResults, type CollectOptions, collectResults } from "./stores/collect-results.ts";
export { exportLog, type ImportResult, importLog } from "./stores/export-log.ts";
export { forksOf } from "./stores/find-forks.ts";
export { eachSession } from "./stores/list-sessions.ts";
export { type MemoryResultsOptions, memoryResults } from "./stores/memory-results.ts";
export { type MemoryStoreOptions, memoryStore } from "./stores/memory-store.ts";
export { MAX_METADATA_BYTES, toMetadataText } from "./stores/metadata.ts";
export type { ResultContent, ResultDraft, ResultEnding, ResultFiles, ResultsSize } from "./stores/results.ts";
export { sha256 } from "./stores/sha256.ts";
export type {
  AppendResult,
  BusyWriter,
  DeleteResult,
  ListedSession,
  ListOptions,
  LogReader,
  LogWriter,
  OpenWriterOptions,
  OpenWriterResult,
  SearchHit,
  SearchOptions,
  SessionMetadata,
  SessionPage,
  Store,
  Takeover,
} from "./stores/store.ts";
export {
  type Budget,
  type BudgetLevel,
  type BudgetOptions,
  budgetOf,
  isAutoCompactDue,
  levelOf,
  percentLeft,
} from "./tokens/budget.ts";
export {
  type Calibration,
  estimateTokens,
  learn,
  type Observation,
  padTokens,
  readCalibration,
  startCalibration,
} from "./tokens/calibration.ts";
export {
  addFeatures,
  type FeatureName,
  type FeatureOptions,
  type Features,
  featuresOf,
  NO_FEATURES,
} from "./tokens/features.ts";
export type { TextCounts } from "./tokens/scan-text.ts";
export { DEFAULT_PRIOR, type TokenizerPrior } from "./tokens/tokenizer-prior.ts";
export { type WindowSources, windowOf } from "./tokens/window.ts";
export {
  type JsonSchema,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolOutput,
  tool,
} from "./tools/tool.ts";
export type { Accounting, AccountOptions, DuplicateReads } from "./view/account.ts";
