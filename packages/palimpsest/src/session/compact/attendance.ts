import type { CompactionForecast } from "../../session-event/compaction-events.ts";

/** Who is there to be told, and since which entry of the log. */
export interface Attendance {
  /** `unattended`: nobody is there to answer. */
  readonly kind: "attended" | "unattended";
  /** The newest entry when the session was opened; 0 if it began in this process. */
  readonly openedAt: number;
}

/**
 * Why a compaction that would save money is not made. `opened`: the session was resumed, and the user has not been told yet or
 * has not said anything since. `restored`: a compaction of the same items was taken back. `failed`: the last one failed.
 */
export type Hold =
  | { readonly by: "opened" }
  | { readonly by: "restored"; readonly since: number }
  | { readonly by: "failed"; readonly retryAtMs: number };

/** A compaction that is to be made before the next request; or, if it is held, named to the user and not made. */
export interface DueCompaction {
  readonly forecast: CompactionForecast;
  readonly hold?: Hold;
}
