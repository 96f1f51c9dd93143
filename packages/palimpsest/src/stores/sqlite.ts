/** `palimpsest/sqlite`: parts for packages that keep SQLite files: private folders, transactions, errors and ownership. Node only. */
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
export { createPrivateFolder, syncFolder } from "./sqlite/files.ts";
export { inTransaction, preparedStatements } from "./sqlite/log.ts";
export { retryLocked } from "./sqlite/log-file.ts";
