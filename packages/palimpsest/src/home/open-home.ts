import { resolve } from "node:path";
import { openHomeFile } from "./home-file.ts";

export interface HomeOptions {
  /** One small SQLite file for all sessions of a home directory. Made, for this user only, where there is none. */
  readonly file: string;
  /**
   * How long to wait for a lock that another process holds on the file, in real time. The process goes on meanwhile.
   * @default 5,000
   */
  readonly lockTimeoutMs?: number;
}

export const DEFAULT_HOME: Required<Omit<HomeOptions, "file">> = {
  // A transaction of ours takes milliseconds; one that is held for a guarded write, tenths of a second.
  lockTimeoutMs: 5_000,
};

/** What the sessions of one home directory share, whatever process they run in. */
export interface Home {
  readonly file: string;
  close(): Promise<void>;
}

/**
 * Opens the file that the sessions of a home directory share (write-ahead log, `synchronous=FULL`: what was acknowledged is
 * synced). Any number of processes may use it at the same time, on a local disk.
 */
export async function openHome(options: HomeOptions): Promise<Home> {
  const { lockTimeoutMs } = { ...DEFAULT_HOME, ...options };
  const file = await openHomeFile(resolve(options.file), { lockTimeoutMs });
  return {
    file: file.path,
    close: () => file.close(),
  };
}
