/** Where a session takes the time from. */
export interface Clock {
  now(): number;
  /**
   * Resolves after this time, or as soon as the signal is aborted. `process`: whether the process is kept alive for it.
   * @default the system's timers
   */
  wait?(ms: number, signal: AbortSignal, process?: "held" | "free"): Promise<void>;
}

const SYSTEM_CLOCK: Required<Clock> = {
  now: Date.now,
  // The promise of node:timers would make an error each time that a wait is cut short.
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

/** A clock whose timers are the system's, unless it has its own. */
export function withTimers(clock: Clock = SYSTEM_CLOCK): Required<Clock> {
  return {
    now: () => clock.now(),
    wait: (ms, signal, process) => clock.wait?.(ms, signal, process) ?? SYSTEM_CLOCK.wait(ms, signal, process),
  };
}

/**
 * The reason of what ends because nobody waits for it any more. One for all: an error of its own takes its stack, and there are
 * several in every turn (8% of a turn's time, measured at 20,000 messages).
 */
export const NO_LONGER_NEEDED: DOMException = new DOMException("Nobody waits for it any more.", "AbortError");

export interface WatchOptions {
  readonly clock: Required<Clock>;
  /** A call of which nothing is heard for so long counts as dead. */
  readonly stallMs: number;
  /** By the clock: whatever is heard, it has no longer than this. @default no limit */
  readonly deadlineMs?: number;
  /** Ends it at once, whether the call takes notice or not. */
  readonly signal: AbortSignal;
  /** Is told at this interval that it still goes on. */
  readonly onAlive?: (() => void) | undefined;
  /** @default 30,000 */
  readonly aliveMs?: number;
}

export type Watched<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "stalled" }
  /** It had not ended at its deadline. */
  | { readonly kind: "too-late" }
  | { readonly kind: "aborted" };

/**
 * Runs a call that may hang, ignore its signal or never end. What it returns too late is dropped.
 * @param run is given a signal, and says through `heard` that something has arrived
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
  const call = AbortSignal.any([signal, over.signal]);
  let heardAtMs = clock.now();
  const onData = (): void => {
    heardAtMs = clock.now();
  };

  const result = run(call, onData).then(
    (value): Watched<Result> => ({ kind: "done", result: value }),
    (error: unknown): Watched<Result> => (signal.aborted ? { kind: "aborted" } : { kind: "failed", error }),
  );
  const aborted = new Promise<Watched<Result>>((resolve) => {
    signal.addEventListener("abort", () => resolve({ kind: "aborted" }), { once: true, signal: over.signal });
  });
  async function givenUp(): Promise<Watched<Result>> {
    for (;;) {
      if (clock.now() >= deadlineMs) return { kind: "too-late" };
      const leftMs = Math.min(deadlineMs, heardAtMs + stallMs) - clock.now();
      if (leftMs <= 0) return { kind: "stalled" };
      await clock.wait(Math.min(leftMs, aliveMs), over.signal);
      // Nobody waits for this any more.
      if (over.signal.aborted) return { kind: "aborted" };
      onAlive();
    }
  }
  try {
    return await Promise.race([result, aborted, givenUp()]);
  } finally {
    over.abort(NO_LONGER_NEEDED);
  }
}
