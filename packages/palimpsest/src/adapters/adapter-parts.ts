/** `palimpsest/door-parts`: sessions behind a framework that keeps its own list of messages, for doors of other packages. */

export { connectNewest, type KnownCalls } from "../doors/connect-newest.ts";
export type { Notice } from "../doors/find-notices.ts";
export { compactionsIn, type SessionReport, withReport } from "../doors/session-report.ts";
export { type ToolParts, toConfiguration } from "../doors/to-configuration.ts";
export { beginDoorCall, type DoorCall, type DoorContext, type FrameworkCall } from "./call.ts";
export { recallForCall } from "./recall-for-call.ts";
export { asCompactionData, type CompactionData } from "./report.ts";
export { type Connection, createDoorSessions, type Door, type DoorOptions, type DoorSessions } from "./sessions.ts";
