import { type Desk, isUnsafe, readFile } from "./desk.ts";
import type { DirectoryView } from "./plan-changes.ts";

/** What plans are made upon while the lock is held. */
export function viewOf(desk: Desk): DirectoryView {
  const { rows, limits, nowMs } = desk;
  return {
    rows,
    limits,
    nowMs,
    bytes: (path) => readFile(desk, path)?.bytes ?? Buffer.alloc(0),
    isUnsafe: (path) => isUnsafe(desk, path),
  };
}
