/** `palimpsest/adapter-parts`: sessions behind a framework that keeps its own list of messages, for adapters in other packages. */

export {
  type AdapterCall,
  type AdapterContext,
  beginAdapterCall,
  type FrameworkCall,
  recallForCall,
} from "./adapters/call.ts";
export { type ToolParts, toConfiguration } from "./adapters/configuration.ts";
export type { Notice } from "./adapters/notices.ts";
export {
  asCompactionData,
  type CompactionData,
  compactionsIn,
  type SessionReport,
  withReport,
} from "./adapters/report.ts";
export {
  type Adapter,
  type AdapterOptions,
  type AdapterSessions,
  type Connection,
  connectNewest,
  createAdapterSessions,
  type KnownCalls,
} from "./adapters/sessions.ts";
export { createPartialAnswer } from "./turn/send.ts";
