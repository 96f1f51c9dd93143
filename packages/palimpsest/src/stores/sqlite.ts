/** `palimpsest/sqlite`: shared code for SQLite files: private folders, transactions, errors, and ownership. Node only. */
export { elapsedMs, type Owner, type Place, processState, silenceMs, thisProcess } from "./owner/owner.ts";
export { type FoundProcess, type Processes, type ProcessMark, systemProcesses } from "./owner.ts";
export { createPrivateFolder, syncFolder } from "./sqlite/create-log-file.ts";
export { DamagedLogError, isLocked, messageOf, StorageFailedError, sqliteCode, toStoreError } from "./sqlite/errors.ts";
export { FileFormatError } from "./sqlite/file-format-error.ts";
export { inTransaction } from "./sqlite/log.ts";
export { retryLocked } from "./sqlite/log-file.ts";
export { makePrivate } from "./sqlite/make-private.ts";
export { preparedStatements } from "./sqlite/prepared-statements.ts";
