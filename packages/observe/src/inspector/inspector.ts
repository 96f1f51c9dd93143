/** `@palimpsest/observe/inspector`: a local page over the logs of agents. */
export {
  type ExportedPage,
  type ExportOptions,
  type ExportProgress,
  exportSessions,
  type SessionToExport,
} from "./export/export-sessions.ts";
export type { ShownMemory } from "./routes/memory-routes.ts";
export type {
  FoundSession,
  OpenedSession,
  ProviderOf,
  SessionSource,
  UndoCompaction,
  UndoneCompaction,
  UnreadableSession,
} from "./sources/session-source.ts";
export { type StoreSource, type StoreSourceOptions, storeSource } from "./sources/store-source.ts";
export { type TranscriptSource, type TranscriptSourceOptions, transcriptSource } from "./sources/transcript-source.ts";
export { type Inspector, type InspectorOptions, startInspector } from "./start-inspector.ts";
