/** `palimpsest/core`: the parts of the engine, for packages that are built on it and for hosts that need more than the root. */
export { LIFETIME_MS } from "./cache/choose-ttl.ts";
export { USUAL_COSTS } from "./cache/token-costs.ts";
export {
  aFunction,
  anAsyncIterable,
  aText,
  checkArgument,
  checkOptions,
  type Needed,
  withMethods,
} from "./log/check-options.ts";
export { inputTokensOf } from "./log/input-tokens.ts";
export { asCount, asList, asObject, asString, asStrings, type JsonObject, present } from "./log/json-fields.ts";
export type { AgentEnded, AgentStarted, AgentWay, MessagePayload, ReplacePayload } from "./log/payload.ts";
export type { KnownModel } from "./providers/known-model.ts";
export { type Charge, type ChargeOptions, chargeParent } from "./query/charge-parent.ts";
export type { InboxSession } from "./query/inbox.ts";
export { messageOf, type PermissionOptions } from "./query/permission.ts";
export { withTimers } from "./session/clock.ts";
export { forkedReader } from "./session/fork/forked-reader.ts";
export { loadView } from "./session/load-view.ts";
export { readLedgerLines } from "./session/read-ledger-lines.ts";
export {
  type OpenedRecorder,
  openRecorder,
  type RecordedContent,
  type RecorderOptions,
  type SessionRecorder,
} from "./session/recorder/open-recorder.ts";
export type { PastResponse, PastTokens, PastUsage } from "./session/recorder/past-response.ts";
export type { Dreamed, MemoriesExtracted, MemoryJudged, Tell } from "./session-event.ts";
export { readEntries } from "./stores/read-entries.ts";
export { FEATURE_NAMES } from "./tokens/features.ts";
export { fileOf } from "./view/file-of.ts";
export type { Item, MessageItem } from "./view/item.ts";
