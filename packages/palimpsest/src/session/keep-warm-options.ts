import type { PauseActivity } from "../stages/plan-ping.ts";

export interface KeepWarmOptions {
  /** What is waited for: it says how likely it is that the session goes on, and how often it is worth a ping. */
  readonly activity: PauseActivity;
  /** Aborted when the waiting is over. @default it is over with the next request */
  readonly signal?: AbortSignal;
}

/** What became of a pause in which the prompt was to be kept warm. */
export interface KeptWarm {
  /** In this pause so far. */
  readonly pings: number;
  readonly priceUsd: number;
  /** `decided`: another ping does not pay, is not allowed, or cannot be made. `superseded`: the session went on. */
  readonly ended: "decided" | "aborted" | "superseded" | "failed";
  readonly because: string;
}
