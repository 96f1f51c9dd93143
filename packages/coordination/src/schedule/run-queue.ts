/**
 * The sessions that are to run. One worker has a session at a time, as far as clocks and networks allow: a worker that says nothing for
 * `silentAfterMs` loses its run to the next one. Being wrong about that is harmless, because the log refuses a writer that was replaced.
 */
export interface RunQueue {
  /**
   * Takes sessions that are due, of each tenant in turn.
   * @param options to: `send` is for a process that sends sessions to another engine, and is no attempt to run them. @default "run"
   */
  take(options?: { readonly limit?: number; readonly to?: TakenTo }): Promise<TakenRuns>;
  /**
   * Takes one session for an engine that decides by itself who runs: from the run `from`, which has sent it to the engine, or from an earlier
   * run of the engine's, which the engine knows to be over. What was sent again later, or runs otherwise, it does not get, unless it is due.
   */
  takeOver(session: SessionTarget, options: { readonly from: number }): Promise<TakenRuns>;
  /** Waits until a session may be due: somebody woke one, or it is time to look again. One at a time waits on one queue. */
  wait(options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/** What sessions are taken for. */
export type TakenTo = "run" | "send";

/** A session, by tenant and id. */
export interface SessionTarget {
  readonly tenant: string;
  readonly session: string;
}

/** The runs that a worker took, and the sessions that were set aside because they crashed too often. */
export interface TakenRuns {
  readonly runs: readonly Run[];
  /** Sessions that were found to end their runs without an end, and that nobody runs any more until `Schedule.resume`. */
  readonly setAside: readonly SessionTarget[];
}

/** The right to run a session once. A run that was lost stays lost. */
export interface Run extends SessionTarget {
  /** Higher than that of every earlier run, and never given twice. */
  readonly number: number;
  /** 1 for the first; more if earlier runs did not come to an end. Of a session that is only sent: how many there were so far. */
  readonly attempt: number;
  /** The reminders that are due. They come again until a run is finished. */
  readonly reminders: readonly GivenReminder[];
  /**
   * Says that the run is under way. From the third attempt on it counts only by this: a worker that does not let it run gives it back, and
   * may end before it has. `woken`: it is, and the session was woken since the run began.
   */
  renew(): Promise<"held" | "woken" | "lost">;
  /** Ends the run. `woken`: the session was woken meanwhile, and will run again. */
  finish(): Promise<"finished" | "woken" | "lost">;
  /** The run failed: the session runs again after a while, unless that happened too often. */
  fail(failure: { readonly why: string; readonly retryAfterMs: number }): Promise<"waiting" | "lost">;
  /**
   * Gives the session back, as if it had not been taken: at once, for a worker that is being stopped, or after a while, if a service is away
   * that all sessions need. It does not count as a failure of the session. A wake ends the wait, also a wake that came
   * while the run went on.
   */
  release(options?: { readonly afterMs?: number }): Promise<"waiting" | "lost">;
}

/** A reminder that is due: why the session was woken. */
export interface GivenReminder {
  readonly key: string;
  readonly reason: string;
  readonly dueAtMs: number;
}

/** The limits of a queue, if nothing else is set. */
export const DEFAULT_RUN_QUEUE = {
  limit: 16,
  /** Workers renew every 750 ms: one that misses six renewals is gone, or may as well be. Its sessions continue elsewhere after 5 s. */
  silentAfterMs: 5_000,
  /** What ends five workers in a row will end the sixth. */
  maxAttempts: 5,
} as const;
