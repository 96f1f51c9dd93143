/** Where a worker can be killed on purpose. The worker says that it is there, and stands still until it is killed. */
export const PHASES = [
  "before send",
  "in stream",
  "in a tool",
  "between result and append",
  "in compaction",
  "in approval",
  "between taking in and acknowledging",
] as const;

export type Phase = (typeof PHASES)[number];

/** What a worker is told: to stand still when it comes to a phase. */
export interface Trap {
  readonly phase: Phase;
  /** Passes the phase so many times before: each has more than one moment. */
  readonly skip: number;
  /** Sessions that are left alone: one that is killed too often is set aside, as it should be. */
  readonly except: readonly string[];
}

/** What a worker says to whoever started it. */
export type WorkerNews =
  | { readonly kind: "ready" }
  | { readonly kind: "trapped"; readonly phase: Phase; readonly session: string }
  | { readonly kind: "error"; readonly text: string }
  | { readonly kind: "drained"; readonly ended: number; readonly left: number };

/** What whoever started a worker tells it. */
export type WorkerOrder =
  | { readonly kind: "trap"; readonly trap: Trap }
  /** Another worker was first: whoever stands in a trap goes on. */
  | { readonly kind: "release" }
  /** The wall clock of the worker jumps by so much. */
  | { readonly kind: "clock"; readonly byMs: number };
