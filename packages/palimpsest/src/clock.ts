// The clock of a session, and a watch over calls that may hang.

/** The source of time for a session. */
export interface Clock {
  now(): number;
  /**
   * Resolves after this time, or as soon as the signal is aborted. `process`: `held` keeps the process alive during the wait, `free`
   * does not.
   * @default the system's timers
   */
  wait?(ms: number, signal: AbortSignal, process?: "held" | "free"): Promise<void>;
}

/** Adds the system's timers to a clock without timers. */
export function withTimers(clock: Clock = SYSTEM_CLOCK): Required<Clock> {
  return {
    now: () => clock.now(),
    wait: (ms, signal, process) => clock.wait?.(ms, signal, process) ?? SYSTEM_CLOCK.wait(ms, signal, process),
  };
}

const SYSTEM_CLOCK: Required<Clock> = {
  now: Date.now,
  // The promise of node:timers would create an error for each wait that ends early.
  wait: (ms, signal, process = "held") =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = setTimeout(over, ms);
      // Only Node has processes that a timer keeps alive.
      if (process === "free") timer.unref?.();
      signal.addEventListener("abort", over, { once: true });
      function over(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", over);
        resolve();
      }
    }),
};

/**
 * Runs a call that may hang, ignore its signal or never end. A result that comes too late is dropped.
 * @param run starts the call with a signal, and calls `onData` when data arrives
 */
export async function watchCall<Result>(
  run: (signal: AbortSignal, onData: () => void) => Promise<Result>,
  options: WatchOptions,
): Promise<Watched<Result>> {
  const {
    clock,
    stallMs,
    deadlineMs = Number.POSITIVE_INFINITY,
    signal,
    onAlive = () => {},
    aliveMs = 30_000,
  } = options;
  if (signal.aborted) return { kind: "aborted" };
  const over = new AbortController();
  const callSignal = AbortSignal.any([signal, over.signal]);
  let lastDataAtMs = clock.now();
  const onData = (): void => {
    lastDataAtMs = clock.now();
  };

  const result = run(callSignal, onData).then(
    (value): Watched<Result> => ({ kind: "done", result: value }),
    (error: unknown): Watched<Result> => (signal.aborted ? { kind: "aborted" } : { kind: "failed", error }),
  );
  const aborted = new Promise<Watched<Result>>((resolve) => {
    signal.addEventListener("abort", () => resolve({ kind: "aborted" }), { once: true, signal: over.signal });
  });
  async function watch(): Promise<Watched<Result>> {
    for (;;) {
      if (clock.now() >= deadlineMs) return { kind: "too-late" };
      const leftMs = Math.min(deadlineMs, lastDataAtMs + stallMs) - clock.now();
      if (leftMs <= 0) return { kind: "stalled" };
      await clock.wait(Math.min(leftMs, aliveMs), over.signal);
      // The call has ended.
      if (over.signal.aborted) return { kind: "aborted" };
      onAlive();
    }
  }
  try {
    return await Promise.race([result, aborted, watch()]);
  } finally {
    over.abort(NO_LONGER_NEEDED);
  }
}

/** The limits of a call. */
export interface WatchOptions {
  readonly clock: Required<Clock>;
  /** A call without data for this long counts as stalled. */
  readonly stallMs: number;
  /** The time by the clock at which the call must end, even if data arrives. @default no limit */
  readonly deadlineMs?: number;
  /** Ends the watch at once, even if the call ignores the signal. */
  readonly signal: AbortSignal;
  /** Called at the interval `aliveMs` while the call runs. */
  readonly onAlive?: (() => void) | undefined;
  /** @default 30,000 */
  readonly aliveMs?: number;
}

/** The outcome of a call. */
export type Watched<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "stalled" }
  /** The call had not ended at its deadline. */
  | { readonly kind: "too-late" }
  | { readonly kind: "aborted" };

/**
 * The abort reason for work whose result is no longer needed. All aborts share one error: several occur in every turn, and the stack
 * of a new error takes time (8% of a turn, measured at 20,000 messages).
 */
export const NO_LONGER_NEEDED: DOMException = new DOMException("The result is no longer needed.", "AbortError");

/** The processor time that this process has used. Unlike the time of day, other programs do not change it. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
