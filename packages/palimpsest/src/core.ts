/** `palimpsest/core`: the parts of the engine, for packages that are built on it and for hosts that need more than the root. */

export { withTimers } from "./clock.ts";
export { createEvidence } from "./compact/evidence/evidence.ts";
export type { Evidence } from "./compact/evidence/state.ts";
export { evidenceText } from "./compact/evidence/text.ts";
export type { ExplainedBoundary } from "./compact/explain.ts";
export type { CompactOptions } from "./compact/outcome.ts";
export { type PlannedFile, planFiles, rankFiles } from "./compact/rehydrate-files.ts";
export { summarySections } from "./compact/summary/sections.ts";
export { userMessagesText } from "./compact/user-messages.ts";
export type { NextRequestCost, SessionCost } from "./cost/cost.ts";
export type { CacheBreak, LedgerLine, LedgerTotals } from "./cost/ledger.ts";
export { findDrop, nameCauses } from "./cost/misses.ts";
export { type BilledTokens, LIFETIME_MS, priceUsd, USUAL_COSTS } from "./cost/prices.ts";
export { ForkError, NoSuchEntryError, PathError, PinTooLargeError, UnknownRequestError } from "./errors.ts";
export type { AskOptions, ForkOptions } from "./forks/forks.ts";
export type { Cause, ChangeCause, ModelPrices } from "./log/cause.ts";
export { type PassedOver, type ReadEntry, readPayload } from "./log/draft.ts";
export {
  checkChain,
  type Draft,
  EMPTY_LOG,
  type Entry,
  fromLine,
  type LogHead,
  sealEntries,
  toLine,
} from "./log/entry.ts";
export { detectMediaType } from "./log/media-type.ts";
export type { HeadContent } from "./log/messages.ts";
export type { AttachmentPayload, MessagePayload, Replacement, ReplacePayload } from "./log/payload.ts";
export type { CompactionRung, CompactionTrigger } from "./log/payload-compaction.ts";
export type { AgentEnded, AgentStarted, AgentWay } from "./log/payload-turn.ts";
export { provenanceOf } from "./log/provenance.ts";
export { entryText } from "./log/search-text.ts";
export { addCounts, inputTokensOf } from "./log/usage.ts";
export { readNotesTemplate } from "./notes/template.ts";
export { type KnownModel, knownModel } from "./providers/known-models.ts";
export type { ExtraModels } from "./providers/models.ts";
export { readOverflow } from "./providers/overflow.ts";
export type { ResponseContent, StreamPart } from "./providers/provider.ts";
export { type Recalled, type RecallRequest, recall } from "./recall/recall.ts";
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
export { readLedgerLines } from "./session/ledger-lines.ts";
export { openRecorder, type SessionRecorder } from "./session/recorder.ts";
export type { CompactionForecast, Dreamed, Emit, MemoriesExtracted, MemoryJudged, NewEvent } from "./session-event.ts";
export { PROFILES } from "./settings/definitions.ts";
export type { ResolvedSettings } from "./settings/resolve.ts";
export { parseSetting } from "./settings/resolve.ts";
export type { Profile, SettingName } from "./settings/settings.ts";
export { type Calibration, estimateTokens, learn, padTokens, startCalibration } from "./size/calibration.ts";
export {
  addFeatures,
  FEATURE_NAMES,
  type FeatureName,
  type Features,
  featuresOf,
  NO_FEATURES,
} from "./size/features.ts";
export type { NamedText, PlacedText } from "./state/host-content.ts";
export { loadView } from "./state/load.ts";
export { forkedReader } from "./state/log.ts";
export type { ApproveCompaction } from "./state/options.ts";
export type { CompactionPoint, SessionSize } from "./state/ports.ts";
export type { RecordedResponse } from "./state/responses.ts";
export { type StreamedContent, storeStream } from "./store-results/store.ts";
export { eachSession, forksOf, readEntries } from "./stores/read.ts";
export { sha256 } from "./stores/sha256.ts";
export type {
  AppendResult,
  DeleteResult,
  ListedSession,
  LogReader,
  LogWriter,
  OpenWriterOptions,
  OpenWriterResult,
  ResultContent,
  SearchHit,
  SessionMetadata,
  SessionPage,
} from "./stores/store.ts";
export { toMetadataText } from "./stores/store.ts";
export {
  messageOf,
  type PermissionContext,
  type PermissionDecision,
  type PermissionOptions,
  type WantedCall,
} from "./turn/permission.ts";
export { createPartialAnswer } from "./turn/send.ts";
export type { InboxSession, MemoryInbox } from "./turn/step.ts";
export { type Charge, type ChargeOptions, chargeParent } from "./turn/tools.ts";
export type { Accounting } from "./view/account.ts";
export { fileOf } from "./view/items.ts";
export { quoteFact, withinTag } from "./view/texts.ts";
export type { Item, MessageItem } from "./view/view.ts";
