/** `palimpsest`: what an adopter needs. docs/reference.md has an example for each name. */

export { type Clock, withTimers } from "./clock.ts";
export type { ExplainedBoundary } from "./compact/explain.ts";
export type { CompactionOutcome, CompactOptions } from "./compact/outcome.ts";
export type { NextRequestCost, SessionCost } from "./cost/cost.ts";
export {
  ForkError,
  InvalidContentError,
  InvalidOptionError,
  NoSuchEntryError,
  NothingToSendError,
  PalimpsestError,
  SessionBusyError,
  SessionLostError,
  WindowFullError,
} from "./errors.ts";
export type { Block, Part, ToolCall, ToolDefinition, ToolResult } from "./log/block.ts";
export {
  attachment,
  commandOutput,
  type HeadContent,
  type NewContent,
  notice,
  toolResult,
  user,
} from "./log/messages.ts";
export type { Provenance } from "./log/provenance.ts";
export { readNotesTemplate } from "./notes/template.ts";
export type { ModelFacts } from "./providers/models.ts";
export { type Provider, ProviderError, withModels } from "./providers/provider.ts";
export { readStream } from "./providers/stream.ts";
export { readRecallInput, recalledText, recallTool } from "./recall/recall.ts";
export { type Tool, type ToolContext, type ToolOutput, tool } from "./schema/tool.ts";
export type { SessionMessage } from "./session/list-messages.ts";
export { openSession } from "./session/open.ts";
export { repairMessages } from "./session/repair-messages.ts";
export type { Session } from "./session/session.ts";
export type { SyncMessage } from "./session/sync/conversation.ts";
export type { CompactionForecast, Emit, NewEvent, SessionEvent } from "./session-event.ts";
export { PROFILES, SETTINGS } from "./settings/definitions.ts";
export { parseSetting, type ResolvedSettings } from "./settings/resolve.ts";
export type { Profile, SettingName, Settings } from "./settings/settings.ts";
export type { NamedText, PlacedText, Surroundings } from "./state/host-content.ts";
export type { ApproveCompaction, SessionOptions, SettingsSource } from "./state/options.ts";
export type { CompactionPoint, SessionSize } from "./state/ports.ts";
export { readSettings, settingsFile } from "./state/settings.ts";
export { collectResults } from "./stores/collect-results.ts";
export { exportLog, importLog } from "./stores/export-log.ts";
export { memoryResults, memoryStore } from "./stores/memory-store.ts";
export type { ResultFiles, Store } from "./stores/store.ts";
export {
  messageOf,
  type Permission,
  type PermissionContext,
  type PermissionDecision,
  type PermissionOptions,
  type QueryEvent,
  type QueryOutcome,
  type WantedCall,
} from "./turn/permission.ts";
export { type QueryOptions, query, stepTurn } from "./turn/query.ts";
export { createInbox, type Inbox, type InboxSession, type MemoryInbox, type TurnStep } from "./turn/step.ts";
export { type Charge, type ChargeOptions, chargeParent, compactTool, recallFrom } from "./turn/tools.ts";
