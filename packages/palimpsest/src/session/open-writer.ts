import { SessionBusyError } from "../errors.ts";
import { InvalidOptionError } from "../log/invalid-option-error.ts";
import type { EntryBatch, LogWriter, Store, Takeover } from "../stores/store.ts";
import { type Clock, withTimers } from "./clock.ts";
import { OPENING } from "./known-reader.ts";

/** What to do about a session that is open elsewhere: leave it, wait for it at most so long, or take it from its writer. */
export type SessionTakeover = Takeover | { readonly waitMs: number };

export interface OpenWriterOptions {
  /** @default "process" and its number, or "a runtime without processes" */
  readonly owner?: string;
  /** @default "if-free" */
  readonly takeover?: SessionTakeover;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** How often it is looked whether the other has closed it: people do not notice, and the disk does not either. */
const LOOK_AGAIN_MS = 200;

export interface OpenedLog {
  readonly writer: LogWriter;
  /** What was read when the log was opened, by a store that can. */
  readonly opened: EntryBatch | undefined;
}

/** Opens a session's log for writing, and reads what a session needs first. Throws a `SessionBusyError` if it is, and stays, open elsewhere. */
export async function openWriter(store: Store, session: string, options: OpenWriterOptions): Promise<OpenedLog> {
  const { owner = nameOwner(), takeover = "if-free" } = options;
  const clock = withTimers(options.clock);
  const waitMs = typeof takeover === "object" ? takeover.waitMs : 0;
  const isKnown = typeof takeover === "object" || takeover === "if-free" || takeover === "always";
  if (!isKnown || !(waitMs >= 0)) {
    throw new InvalidOptionError(
      "takeover",
      takeover,
      '"if-free", "always", or { waitMs } with 0 or more milliseconds',
    );
  }
  const how = { owner, takeover: typeof takeover === "object" ? "if-free" : takeover, read: OPENING } as const;
  // What was waited is counted, and not read from the clock: one that stands still must not make this wait for ever.
  for (let waitedMs = 0; ; ) {
    const result = await store.openWriter(session, how);
    if (result.kind === "opened") return { writer: result.writer, opened: result.batch };
    if (waitedMs >= waitMs) throw new SessionBusyError({ session, ...result });
    const freeInMs = Math.max(1, result.freeAtMs - clock.now());
    const nextMs = Math.min(LOOK_AGAIN_MS, freeInMs, waitMs - waitedMs);
    await clock.wait(nextMs, NEVER);
    waitedMs += nextMs;
  }
}

const NEVER = new AbortController().signal;

function nameOwner(): string {
  const pid = globalThis.process?.pid;
  return pid === undefined ? "a runtime without processes" : `process ${pid}`;
}
