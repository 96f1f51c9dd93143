export { type ChainProblem, checkChain } from "./log/check-chain.ts";
export { type Digest, type Draft, EMPTY_LOG, type Entry, type LogHead } from "./log/entry.ts";
export { fromLine, toLine } from "./log/entry-line.ts";
export { type SealOptions, sealEntries } from "./log/seal-entries.ts";
export { exportLog, type ImportResult, importLog } from "./stores/export-log.ts";
export { type MemoryStoreOptions, memoryStore } from "./stores/memory-store.ts";
export { sha256 } from "./stores/sha256.ts";
export type {
  AppendResult,
  LogReader,
  LogWriter,
  OpenWriterOptions,
  OpenWriterResult,
  Store,
} from "./stores/store.ts";
