/** `palimpsest/core`: the parts of the engine, for packages that are built on it and for hosts that need more than the root. */
export type { NextRequestCost, SessionCost } from "./cache/cost.ts";
export { findDrop, nameCauses } from "./cache/find-break.ts";
export { LIFETIME_MS, USUAL_COSTS } from "./cache/token-costs.ts";
export { createEvidence } from "./compact/evidence/evidence.ts";
export type { Evidence } from "./compact/evidence/state.ts";
export type { ExplainedBoundary } from "./compact/explain.ts";
export { type PlannedFile, planFiles } from "./compact/rehydrate-files.ts";
export { userMessagesText } from "./compact/user-messages.ts";
export type { CacheBreak, LedgerLine, LedgerTotals } from "./cost/ledger.ts";
export { type BilledTokens, priceUsd } from "./cost/prices.ts";
export { ForkError, NoSuchEntryError, PinTooLargeError, UnknownRequestError } from "./errors.ts";
export type { AskOptions, ForkOptions } from "./forks/options.ts";
export type { AgentEnded, AgentStarted, AgentWay } from "./log/agent-payload.ts";
export type { Cause, ChangeCause } from "./log/cause.ts";
export { checkChain } from "./log/check-chain.ts";
export { type PassedOver, type ReadEntry, readPayload } from "./log/draft.ts";
export { type Draft, EMPTY_LOG, type Entry, type LogHead } from "./log/entry.ts";
export { fromLine, toLine } from "./log/entry-line.ts";
export { entryText } from "./log/entry-text.ts";
export { inputTokensOf } from "./log/input-tokens.ts";
export { detectMediaType } from "./log/media-type.ts";
export type { HeadContent } from "./log/messages.ts";
export { PathError } from "./log/path-error.ts";
export type { AttachmentPayload, MessagePayload, Replacement, ReplacePayload } from "./log/payload.ts";
export type { CompactionRung, CompactionTrigger } from "./log/payload-compaction.ts";
export type { ModelPrices } from "./log/prices.ts";
export { provenanceOf } from "./log/provenance.ts";
export { sealEntries } from "./log/seal-entries.ts";
export { addCounts } from "./log/usage.ts";
export { readNotesTemplate } from "./notes/template.ts";
export { type KnownModel, knownModel } from "./providers/known-models.ts";
export type { ExtraModels } from "./providers/models.ts";
export { readOverflow } from "./providers/overflow.ts";
export type { ResponseContent, StreamPart } from "./providers/provider.ts";
export type { InboxSession, MemoryInbox } from "./query/inbox.ts";
export { createPartialAnswer } from "./query/partial-answer.ts";
export {
  messageOf,
  type PermissionContext,
  type PermissionDecision,
  type PermissionOptions,
  type WantedCall,
} from "./query/permission.ts";
export {
  aFunction,
  anAsyncIterable,
  aText,
  checkArgument,
  checkOptions,
  type Needed,
  withMethods,
} from "./schema/check-options.ts";
export { asCount, asList, asObject, asString, asStrings, type JsonObject, present } from "./schema/json-fields.ts";
export { withTimers } from "./session/clock.ts";
export type { ApproveCompaction } from "./session/compact/approve.ts";
export type { CompactOptions } from "./session/compact/compact-options.ts";
export type { CompactionPoint } from "./session/compact/compaction-point-type.ts";
export type { NamedText, PlacedText } from "./session/compact/surroundings.ts";
export { readLedgerLines } from "./session/ledger-lines.ts";
export type { RecordedResponse } from "./session/recorded-response.ts";
export { openRecorder, type SessionRecorder } from "./session/recorder.ts";
export type { SessionSize } from "./session/session-size.ts";
export type { CompactionForecast } from "./session-event/compaction-events.ts";
export type { Dreamed, MemoriesExtracted, MemoryJudged } from "./session-event/memory-events.ts";
export type { Emit, NewEvent } from "./session-event.ts";
export { parseSetting } from "./settings/parse-setting.ts";
export { PROFILES } from "./settings/profiles.ts";
export type { ResolvedSettings } from "./settings/resolve.ts";
export type { Profile, SettingName } from "./settings/settings.ts";
export { type Calibration, estimateTokens, learn, padTokens, startCalibration } from "./size/calibration.ts";
export { evidenceText } from "./stages/compact/evidence/evidence-text.ts";
export { rankFiles } from "./stages/compact/rehydrate/rank-files.ts";
export { summarySections } from "./stages/compact/summary/sections.ts";
export { type Recalled, type RecallRequest, recall } from "./stages/recall/recall.ts";
export { type StreamedContent, storeStream } from "./stages/store-results/store-stream.ts";
export { loadView } from "./state/load.ts";
export { forkedReader } from "./state/log.ts";
export { forksOf } from "./stores/find-forks.ts";
export { eachSession } from "./stores/list-sessions.ts";
export { toMetadataText } from "./stores/metadata.ts";
export { readEntries } from "./stores/read-entries.ts";
export type { ResultContent } from "./stores/results.ts";
export { sha256 } from "./stores/sha256.ts";
export type {
  AppendResult,
  DeleteResult,
  ListedSession,
  LogReader,
  LogWriter,
  OpenWriterOptions,
  OpenWriterResult,
  SearchHit,
  SessionMetadata,
  SessionPage,
} from "./stores/store.ts";
export {
  addFeatures,
  FEATURE_NAMES,
  type FeatureName,
  type Features,
  featuresOf,
  NO_FEATURES,
} from "./tokens/features.ts";
export { type Charge, type ChargeOptions, chargeParent } from "./turn/tools.ts";
export type { Accounting } from "./view/account.ts";
export { quoteFact, withinTag } from "./view/data-marks.ts";
export { fileOf } from "./view/file-of.ts";
export type { Item, MessageItem } from "./view/item.ts";
