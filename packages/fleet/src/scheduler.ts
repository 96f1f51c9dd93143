import type { GivenReminder, SessionTarget } from "@palimpsest/coordination";

export type { SessionTarget } from "@palimpsest/coordination";

/**
 * Decides which worker runs a session, when, and again after that worker is gone. What a turn has come to is in the session's log, so a
 * scheduler keeps nothing of it, and to be wrong about a worker is harmless: the log refuses a writer that was replaced. Every
 * implementation passes `testScheduler`.
 */
export interface Scheduler {
  /**
   * Lets a session run at least once from now on. A session that is running is told, and runs again after that. `set-aside`: it crashed its
   * workers too often, and waits until somebody lets it run again.
   */
  wake(target: SessionTarget): Promise<"woken" | "set-aside">;
  /** Lets this process run sessions, until it is drained. */
  serve(work: Work, options?: ServeOptions): Serving;
}

/** Runs a session. A rejection is a failure: the session runs again after a while, unless that happened too often. */
export type Work = (run: WorkRun) => Promise<WorkOutcome>;

export type WorkOutcome =
  /** There is nothing to do, or the turn waits for somebody. */
  | { readonly kind: "ended" }
  /** The run ended before that, because it lost its right to the session or was told to leave. Another run continues. */
  | { readonly kind: "left" }
  /** A service is away that all sessions need. The session runs again after this long, or when it is woken. It has not failed. */
  | { readonly kind: "later"; readonly afterMs: number };

/** One run of a session on this worker. */
export interface WorkRun extends SessionTarget {
  /** Higher than that of every earlier run of the session. */
  readonly number: number;
  /** 1 for the first; more if earlier runs did not come to an end. */
  readonly attempt: number;
  /** The reminders that are due. They come again until a run has ended. */
  readonly reminders: readonly GivenReminder[];
  /** Aborted when the worker has lost its right to the session, or is to leave it to another one. */
  readonly left: AbortSignal;
  /**
   * Whether the worker still has its right to the session, as far as that is known: asks if nobody has for a while. A process that slept may
   * not have been told.
   */
  isHeld(): Promise<boolean>;
  /** Calls back, perhaps more than once, if the session was woken since the run began. Returns a function that removes the listener. */
  onWoken(listener: () => void): () => void;
}

/** How many sessions a worker runs at a time, and when it tries again. */
export interface ServeOptions {
  /** How many sessions run here at the same time. @default 16 */
  readonly slots?: number;
  /** How often a run is renewed: a session that was woken meanwhile is told after this long. @default 750 */
  readonly renewEveryMs?: number;
  /** When a failed run is tried again. @default after 1 s, and twice as long after each failure, up to 60 s */
  readonly retryAfterMs?: (attempt: number) => number;
  /** Receives failures of runs, and of the scheduler itself. @default none */
  readonly onError?: (error: unknown, target?: SessionTarget) => void;
  /** Called for a session that crashed its workers too often. @default none */
  readonly onSetAside?: (target: SessionTarget) => Promise<void>;
}

/** A worker that runs. `drain` ends it after its current steps. */
export interface Serving {
  /** The sessions that run here now. */
  readonly running: readonly SessionTarget[];
  /**
   * Takes no more sessions, waits for those that run, and leaves the rest to other workers when the time is over: for a deploy.
   * @param options withinMs @default 25,000: most platforms kill a process 30 s after SIGTERM
   */
  drain(options?: { readonly withinMs?: number }): Promise<Drained>;
}

/** How many runs came to their end, and how many were left to other workers. */
export interface Drained {
  readonly ended: number;
  readonly left: number;
}

export const DEFAULT_SERVE = {
  slots: 16,
  /** Six in a row are missed before a run is lost. A stop arrives within a second. */
  renewEveryMs: 750,
  drainWithinMs: 25_000,
} as const;

/** Doubles from 1 s to 60 s. */
export function defaultRetryAfterMs(attempt: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.min(attempt - 1, 10));
}
