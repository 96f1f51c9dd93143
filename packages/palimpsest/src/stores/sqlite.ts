/** `palimpsest/sqlite`: shared code for SQLite files: private folders, transactions, errors, and ownership. Node only. */
export { elapsedMs, type Owner, type Place, processState, silenceMs, thisProcess } from "./owner/owner.ts";
export { type FoundProcess, type Processes, type ProcessMark, systemProcesses } from "./owner/processes.ts";
export { createPrivateFolder, syncFolder } from "./sqlite/create-log-file.ts";
export { FileFormatError } from "./sqlite/file-format-error.ts";
export { makePrivate } from "./sqlite/make-private.ts";
export { retryLocked } from "./sqlite/open-log.ts";
export { preparedStatements } from "./sqlite/prepared-statements.ts";
export { inTransaction } from "./sqlite/sqlite-log.ts";
export {
  DamagedLogError,
  isLocked,
  messageOf,
  StorageFailedError,
  sqliteCode,
  toStoreError,
} from "./sqlite/sqlite-store-errors.ts";
