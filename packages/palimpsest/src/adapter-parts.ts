/** `palimpsest/adapter-parts`: sessions behind a framework that keeps its own list of messages, for adapters in other packages. */

export {
  beginDoorCall,
  type DoorCall,
  type DoorContext,
  type FrameworkCall,
  type Notice,
  type ToolParts,
  toConfiguration,
} from "./adapters/call.ts";
export { recallForCall } from "./adapters/recall-for-call.ts";
export {
  asCompactionData,
  type CompactionData,
  compactionsIn,
  type SessionReport,
  withReport,
} from "./adapters/report.ts";
export {
  type Connection,
  connectNewest,
  createDoorSessions,
  type Door,
  type DoorOptions,
  type DoorSessions,
  type KnownCalls,
} from "./adapters/sessions.ts";
export { createPartialAnswer } from "./turn/send.ts";
