/** `palimpsest/door-parts`: sessions behind a framework that keeps its own list of messages, for doors of other packages. */
export { beginDoorCall, type DoorCall, type DoorContext, type FrameworkCall } from "./begin-door-call.ts";
export { asCompactionData, type CompactionData } from "./compaction-data.ts";
export { connectNewest, type KnownCalls } from "./connect-newest.ts";
export {
  type Connection,
  createDoorSessions,
  type Door,
  type DoorOptions,
  type DoorSessions,
} from "./door-sessions.ts";
export type { Notice } from "./find-notices.ts";
export { recallForCall } from "./recall-for-call.ts";
export { compactionsIn, type SessionReport, withReport } from "./session-report.ts";
export { type ToolParts, toConfiguration } from "./to-configuration.ts";
