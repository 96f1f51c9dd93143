/** `palimpsest/sqlite`: shared code for SQLite files: private folders, transactions, errors, and ownership. Node only. */
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
} from "./owner.ts";
export { makePrivate } from "./sqlite/connections.ts";
export { DamagedLogError, isLocked, messageOf, StorageFailedError, sqliteCode, toStoreError } from "./sqlite/errors.ts";
export { FileFormatError } from "./sqlite/file-format.ts";
export { inTransaction, preparedStatements } from "./sqlite/log.ts";
export { createPrivateFolder, retryLocked, syncFolder } from "./sqlite/log-file.ts";
