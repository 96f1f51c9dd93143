import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Connection } from "./connection.ts";
import { syncFolder } from "./create-log-file.ts";
import { inTransaction, readWriter } from "./log.ts";

/**
 * Removes a log file. The write lock is held meanwhile: whoever gets it afterwards has a file without a name, and learns
 * from its next call that the log is gone. So no append is acknowledged and lost.
 * @param fence of the writer that deletes; `fenced` if another one has taken the log since
 */
export function deleteLogFile(
  connection: Connection,
  { path, fence }: { readonly path: string; readonly fence: number },
): "deleted" | "fenced" {
  return inTransaction(connection, () => {
    if (readWriter(connection).fence !== fence) return "fenced";
    // The file itself goes first: a -wal without it is nobody's, while a log without its -wal would have lost entries.
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    syncFolder(dirname(path));
    return "deleted";
  });
}
