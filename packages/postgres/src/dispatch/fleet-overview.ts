import type { FleetCounts } from "palimpsest/telemetry";

/** What a whole fleet does and has to do: counts of all tenants, and the first of each list. Names, no contents. */
export interface FleetOverview extends FleetCounts {
  readonly queue: FleetCounts["queue"] & {
    /** When the next of those that run later is due. */
    readonly nextDueAtMs?: number;
  };
  /** Messages that are not in their logs yet. */
  readonly inbox: FleetCounts["inbox"] & { readonly sessions: number };
  /** Questions that wait for a person. */
  readonly questions: FleetCounts["questions"] & { readonly sessions: number; readonly oldestAtMs?: number };
  /** Processes that run sessions, those with most runs first. */
  readonly workers: readonly FleetWorker[];
  /** Sessions that run, those that wrote nothing for longest first. */
  readonly running: readonly RunningSession[];
  /** Questions that wait for a person, oldest first. */
  readonly waiting: readonly WaitingQuestion[];
  /** Sessions that failed too often, newest first. `schedule.resume` lets one run again. */
  readonly setAside: readonly FleetSetAside[];
}

/** A worker, and how many sessions it runs. */
export interface FleetWorker {
  readonly worker: string;
  /** The name that the process has given itself. */
  readonly owner: string;
  readonly runs: number;
}

interface OfFleet {
  readonly tenant: string;
  readonly session: string;
}

/** A session that runs now, and its worker. */
export interface RunningSession extends OfFleet {
  readonly attempt: number;
  /** Absent if the worker has not opened the session yet. */
  readonly owner?: string;
  /** When something was written to its log last. */
  readonly activeAtMs?: number;
}

/** A question that waits for an answer. */
export interface WaitingQuestion extends OfFleet {
  readonly tool: string;
  readonly askedAtMs: number;
}

/** A session that was set aside because it crashed its workers too often. */
export interface FleetSetAside extends OfFleet {
  readonly attempts: number;
  readonly setAsideAtMs: number;
  /** Why its last run failed, if that run could say so. */
  readonly failure?: string;
}
