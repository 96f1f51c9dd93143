import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface SearchDatabase {
  /** A memory of which nothing is there is not made by searching it. */
  isPossible(): boolean;
  open(): DatabaseSync;
  close(): void;
}

const LOCK_TIMEOUT_MS = 5_000;

/** The database of the full-text index and of the counts: apart from the index of files, whose lock it must not hold. */
export function searchDatabase(folder: () => string): SearchDatabase {
  let opened: DatabaseSync | undefined;
  return {
    isPossible: () => existsSync(folder()),
    open() {
      if (opened === undefined) {
        opened = new DatabaseSync(join(folder(), "search.sqlite"), { timeout: LOCK_TIMEOUT_MS });
        opened.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
      }
      return opened;
    },
    close() {
      opened?.close();
      opened = undefined;
    },
  };
}
