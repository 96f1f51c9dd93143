import type { MemoryView } from "../memory-files.ts";
import { isUnsafe, type MemoryTransaction, readFile } from "./memory-transaction.ts";

/** What plans are made upon while the lock is held. */
export function viewOf(transaction: MemoryTransaction): MemoryView {
  const { rows, limits, nowMs } = transaction;
  return {
    rows,
    limits,
    nowMs,
    bytes: (path) => readFile(transaction, path)?.bytes ?? Buffer.alloc(0),
    isUnsafe: (path) => isUnsafe(transaction, path),
  };
}
