import type { Clock } from "./session/clock.ts";
import { NO_LONGER_NEEDED } from "./session/no-longer-needed.ts";

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
