/** `palimpsest/sqlite`: what every SQLite file of ours needs: private folders, transactions, errors, and who holds it. Node only. */
export { elapsedMs, type Holder, holderHere, lookAt, type Place, silenceMs } from "./holder/holder.ts";
export { type FoundProcess, type Processes, type ProcessMark, systemProcesses } from "./holder/processes.ts";
export { createPrivateFolder, syncFolder } from "./sqlite/create-log-file.ts";
export { retryLocked } from "./sqlite/open-log.ts";
export { inTransaction } from "./sqlite/sqlite-log.ts";
export {
  DamagedLogError,
  isLocked,
  messageOf,
  StorageFailedError,
  sqliteCode,
  toStoreError,
} from "./sqlite/sqlite-store-errors.ts";
