/** `palimpsest/inspect`: for programs that read logs and run no session, or write logs of sessions that ran elsewhere: entries, requests as they were sent, search, accounting, prices, an index in SQLite. Node only. */

export { createEvidence } from "./compact/evidence/evidence.ts";
export type { Evidence } from "./compact/evidence/state.ts";
export { type CompactionReasons, compactionReasons } from "./compact/explain.ts";
export { type PlannedFile, planFiles, rankFiles } from "./compact/parts/attachments.ts";
export { userMessagesText } from "./compact/parts/floor.ts";
export { evidenceText } from "./compact/parts/record.ts";
export { CODING_SECTIONS } from "./compact/summary/forms.ts";
export type { CacheBreak, LedgerLine, LedgerTotals } from "./cost/ledger.ts";
export { type BilledTokens, LIFETIME_MS, priceUsd, USUAL_COSTS, withCacheRead } from "./cost/ledger.ts";
export { findDrop, nameCauses } from "./cost/misses.ts";
export type { Survivor } from "./inspect/boundary-at.ts";
export { type BoundaryAt, boundaryAt } from "./inspect/boundary-at.ts";
export {
  CACHE_CAUSES,
  type DiffCause,
  diffRequests,
  PROVIDER_SAYS,
  type RequestDiff,
} from "./inspect/diff-requests.ts";
export { type EventRow, type IndexedEvent, WINDOW_SOURCES, type WindowSource } from "./inspect/index-rows.ts";
export { type InspectedLog, openInspected, searchInspected, sessionTree, type TreeNode } from "./inspect/inspected.ts";
export type { PricedSegment } from "./inspect/price-segments.ts";
export { type NoRequestAt, type ProviderFor, type RequestAt, requestAt } from "./inspect/request-at.ts";
export { type ContentPlace, inPromptOrder, type Segment, type SegmentPlace } from "./inspect/segment.ts";
export { type IndexUpdate, type LogIndex, openLogIndex, type UpdateOptions } from "./inspect/sqlite-index.ts";
export type { Cause, ChangeCause, ModelPrices } from "./log/cause.ts";
export { type PassedOver, type ReadEntry, readPayload } from "./log/entry.ts";
export type { AttachmentPayload, Replacement, ReplacePayload } from "./log/payload.ts";
export type { CompactionRecord, CompactionTrigger, SummaryWay } from "./log/payload-compaction.ts";
export type { AgentEnded, AgentWay } from "./log/payload-turn.ts";
export { provenanceOf } from "./log/provenance.ts";
export { entryText } from "./log/search-text.ts";
export { addCounts, inputTokensOf } from "./log/usage.ts";
export { type Recalled, type RecallRequest, recall } from "./recall/recall.ts";
export { readLedgerLines } from "./session/ledger-lines.ts";
export { openRecorder, type SessionRecorder } from "./session/recorder.ts";
export { type ShellToken, shellTokens } from "./shell-words.ts";
export {
  addFeatures,
  type Calibration,
  estimateTokens,
  FEATURE_NAMES,
  type FeatureName,
  type Features,
  featuresOf,
  learn,
  NO_FEATURES,
  padTokens,
  startCalibration,
} from "./size/calibration.ts";
export { loadView } from "./state/load.ts";
export { forkedReader } from "./state/log.ts";
export { eachSession, readEntries } from "./stores/read.ts";
export { type Accounting, account, accountingRows } from "./view/account.ts";
export { fileOf } from "./view/items.ts";
export { escapeTags, markData, quoteFact, withinTag } from "./view/texts.ts";
export type { Item, MessageItem } from "./view/view.ts";
