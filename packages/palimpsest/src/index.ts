/** `palimpsest`: what an adopter needs. docs/reference.md has an example for each name; `palimpsest/core` has the parts. */

export {
  InvalidContentError,
  NothingToSendError,
  SessionBusyError,
  SessionLostError,
  WindowFullError,
} from "./errors.ts";
export type { Block, Part, ToolCall, ToolResult } from "./log/block.ts";
export { InvalidOptionError } from "./log/invalid-option-error.ts";
export { attachment, commandOutput, notice, toolResult, user } from "./log/messages.ts";
export { PalimpsestError } from "./log/palimpsest-error.ts";
export type { ToolDefinition } from "./log/payload.ts";
export type { Provenance } from "./log/provenance.ts";
export type { ModelFacts } from "./providers/models.ts";
export type { Provider } from "./providers/provider.ts";
export { ProviderError } from "./providers/provider-error.ts";
export { readStream } from "./providers/read-stream.ts";
export { withModels } from "./providers/with-models.ts";
export { createInbox, type Inbox } from "./query/inbox.ts";
export type { Permission } from "./query/permission.ts";
export { type QueryOptions, query } from "./query/query.ts";
export { recallFrom } from "./query/recall-from.ts";
export { stepTurn } from "./query/step-turn.ts";
export { readRecallInput, recalledText, recallTool } from "./recall/recall.ts";
export { type Tool, type ToolOutput, tool } from "./schema/tool.ts";
export type { Clock } from "./session/clock.ts";
export type { CompactionOutcome } from "./session/compact/compact-options.ts";
export type { Surroundings } from "./session/compact/surroundings.ts";
export type { SessionMessage } from "./session/message-list/session-message.ts";
export { openSession } from "./session/open.ts";
export { repairMessages } from "./session/repair-messages.ts";
export type { Session } from "./session/session.ts";
export type { SettingsSource } from "./session/settings-source.ts";
export type { SyncMessage } from "./session/sync/sync-message.ts";
export type { NewContent } from "./session/to-contents.ts";
export type { SessionEvent } from "./session-event.ts";
export type { Settings } from "./settings/settings.ts";
export type { SessionOptions } from "./state/options.ts";
export { readSettings } from "./state/settings.ts";
export { collectResults } from "./stores/expire.ts";
export { memoryResults } from "./stores/memory-results.ts";
export { memoryStore } from "./stores/memory-store.ts";
export { exportLog, importLog } from "./stores/read.ts";
export type { ResultFiles } from "./stores/results.ts";
export type { Store } from "./stores/store.ts";
export type { QueryEvent, QueryOutcome } from "./turn/permission.ts";
export type { TurnStep } from "./turn/step.ts";
