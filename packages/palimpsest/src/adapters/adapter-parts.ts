/** `palimpsest/door-parts`: sessions behind a framework that keeps its own list of messages, for doors of other packages. */

export { beginDoorCall, type DoorCall, type DoorContext, type FrameworkCall, recallForCall } from "./call.ts";
export { type ToolParts, toConfiguration } from "./configuration.ts";
export type { Notice } from "./notices.ts";
export { asCompactionData, type CompactionData, compactionsIn, type SessionReport, withReport } from "./report.ts";
export {
  type Connection,
  connectNewest,
  createDoorSessions,
  type Door,
  type DoorOptions,
  type DoorSessions,
  type KnownCalls,
} from "./sessions.ts";
