/** `palimpsest/door-parts`: sessions for frameworks that keep their own list of messages. The adapter packages use it. */

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
