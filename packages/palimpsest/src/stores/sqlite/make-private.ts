import { chmodSync } from "node:fs";

/** Makes a file private. A file that was copied or restored may be readable by all; -wal and -shm take their mode from it. */
export function makePrivate(path: string, mode: number): void {
  if ((mode & 0o077) === 0) return;
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      chmodSync(path + suffix, 0o600);
    } catch {
      // The file belongs to another user, is read-only or missing: it can still be read.
    }
  }
}
