/** `palimpsest/sqlite`: the store in SQLite files, and shared code for SQLite files: private folders, transactions, errors, ownership. Node only. */

export {
  elapsedMs,
  type FoundProcess,
  type Owner,
  type Place,
  type Processes,
  type ProcessMark,
  processState,
  silenceMs,
  systemProcesses,
  thisProcess,
} from "./stores/owner.ts";
export { makePrivate } from "./stores/sqlite/connections.ts";
export {
  ClosedLogError,
  DamagedLogError,
  isLocked,
  LogFormatError,
  StorageFailedError,
  type StorageFailure,
  sqliteCode,
  toStoreError,
  UnsafeSessionIdError,
} from "./stores/sqlite/errors.ts";
export { FileFormatError } from "./stores/sqlite/file-format.ts";
export { createPrivateFolder, syncFolder } from "./stores/sqlite/files.ts";
export { inTransaction, preparedStatements } from "./stores/sqlite/log.ts";
export { retryLocked } from "./stores/sqlite/log-file.ts";
export { type SalvagedLog, type SalvageOptions, type SalvageProblem, salvageLog } from "./stores/sqlite/salvage.ts";
export { DEFAULT_SQLITE_STORE, type SqliteStoreOptions, type StoreClock, sqliteStore } from "./stores/sqlite-store.ts";
