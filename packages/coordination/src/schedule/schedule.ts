/**
 * Decides when the sessions of one tenant run. A wake is stored when it resolves, and the session runs at least once after that: also if
 * it was running, and also if the worker that ran it dies.
 */
export interface Schedule {
  /**
   * Lets a session run as soon as a worker is free. A session that is running runs again after that. `set-aside`: the wake is stored, but
   * the session crashed its workers too often and does not run until `resume`.
   */
  wake(session: string): Promise<"woken" | "set-aside">;
  /** Wakes a session at a time. It replaces the reminder of the session that has the same key. */
  remind(session: string, reminder: Reminder): Promise<void>;
  /** Removes a reminder that was not given to a run yet. */
  cancelReminder(session: string, key: string): Promise<"canceled" | "absent">;
  /** Lists sessions that crashed their workers too often, by name. */
  listSetAside(options?: {
    readonly after?: string;
    readonly limit?: number;
  }): Promise<{ readonly sessions: readonly SetAsideSession[]; readonly next?: string }>;
  /** Lets a session run again that was set aside. */
  resume(session: string): Promise<"resumed" | "absent">;
}

/** Wakes a session at a time, with a reason. */
export interface Reminder {
  /** Names the reminder within its session. */
  readonly key: string;
  readonly dueAtMs: number;
  /** For the run: what is to be done. */
  readonly reason: string;
  /**
   * The reminder is dropped if the session's log has an entry with a higher number when its time comes: the session continued
   * without it. @default it always counts
   */
  readonly unlessPastEntry?: number;
}

/** A session that ended its workers' processes, or failed, so often that nobody runs it any more. */
export interface SetAsideSession {
  readonly session: string;
  readonly attempts: number;
  readonly setAsideAtMs: number;
  /** Why its last run failed, if that run could say so. */
  readonly failure?: string;
}
