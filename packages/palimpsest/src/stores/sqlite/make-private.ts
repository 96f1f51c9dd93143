import { chmodSync } from "node:fs";

/** A file that was copied or restored may have come open to all; -wal and -shm take their mode from it. */
export function makePrivate(path: string, mode: number): void {
  if ((mode & 0o077) === 0) return;
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      chmodSync(path + suffix, 0o600);
    } catch {
      // Another user's, read-only, or not there: it can be read all the same.
    }
  }
}
