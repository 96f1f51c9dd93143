/** `palimpsest/door-parts`: sessions behind a framework that keeps its own list of messages, for doors of other packages. */

export type { Notice } from "./call.ts";
export {
  beginDoorCall,
  type DoorCall,
  type DoorContext,
  type FrameworkCall,
  type ToolParts,
  toConfiguration,
} from "./call.ts";
export { recallForCall } from "./recall-for-call.ts";
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
