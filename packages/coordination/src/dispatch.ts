import type { Approvals } from "./approvals/approvals.ts";
import type { Events } from "./events/events.ts";
import type { SessionInbox } from "./inbox/session-inbox.ts";
import type { RunQueue } from "./schedule/run-queue.ts";
import type { Schedule } from "./schedule/schedule.ts";

/** What a tenant's sessions need to run on any worker, wherever it is kept. Every implementation passes `testDispatch`. */
export interface Dispatch {
  readonly schedule: Schedule;
  readonly inbox: SessionInbox;
  readonly approvals: Approvals;
  readonly events: Events;
  /**
   * Removes all that is kept here about a session that was deleted: its wakes, reminders, inbox, questions and events. Without that it would
   * begin anew with what had been said to it. A store in the same database has removed it together with the log.
   */
  forget(session: string): Promise<void>;
}

/** The same with the queue that workers take from: of all tenants, where there are several. */
export interface DispatchWithQueue extends Dispatch {
  readonly queue: RunQueue;
  /** Ends what is watched and waited for here. Runs that were taken stay taken until they are silent for too long. */
  close(): Promise<void>;
}
