/** `palimpsest`: what an adopter needs. docs/reference.md has an example for each name; `palimpsest/core` has the parts. */

export type { Clock } from "./clock.ts";
export type { CompactionOutcome } from "./compact/outcome.ts";
export {
  InvalidContentError,
  InvalidOptionError,
  NothingToSendError,
  PalimpsestError,
  SessionBusyError,
  SessionLostError,
  WindowFullError,
} from "./errors.ts";
export type { Block, Part, ToolCall, ToolResult } from "./log/block.ts";
export type { NewContent } from "./log/messages.ts";
export { attachment, commandOutput, notice, toolResult, user } from "./log/messages.ts";
export type { ToolDefinition } from "./log/payload.ts";
export type { Provenance } from "./log/provenance.ts";
export type { ModelFacts } from "./providers/models.ts";
export type { Provider } from "./providers/provider.ts";
export { ProviderError, withModels } from "./providers/provider.ts";
export { readStream } from "./providers/stream.ts";
export { readRecallInput, recalledText, recallTool } from "./recall/recall.ts";
export { type Tool, type ToolOutput, tool } from "./schema/tool.ts";
export type { SessionMessage } from "./session/list-messages.ts";
export { openSession } from "./session/open.ts";
export { repairMessages } from "./session/repair-messages.ts";
export type { Session } from "./session/session.ts";
export type { SyncMessage } from "./session/sync/conversation.ts";
export type { SessionEvent } from "./session-event.ts";
export type { Settings } from "./settings/settings.ts";
export type { Surroundings } from "./state/host-content.ts";
export type { SessionOptions, SettingsSource } from "./state/options.ts";
export { readSettings } from "./state/settings.ts";
export { collectResults } from "./stores/collect-results.ts";
export { exportLog, importLog } from "./stores/export-log.ts";
export { memoryResults, memoryStore } from "./stores/memory-store.ts";
export type { ResultFiles, Store } from "./stores/store.ts";
export type { Permission, QueryEvent, QueryOutcome } from "./turn/permission.ts";
export { type QueryOptions, query, stepTurn } from "./turn/query.ts";
export type { TurnStep } from "./turn/step.ts";
export { createInbox, type Inbox } from "./turn/step.ts";
export { recallFrom } from "./turn/tools.ts";
