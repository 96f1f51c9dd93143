import type { Clock } from "./clock.ts";

export interface WatchOptions {
  readonly clock: Required<Clock>;
  /** A call of which nothing is heard for so long counts as dead. */
  readonly stallMs: number;
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
  | { readonly kind: "aborted" };

/**
 * Runs a call that may hang, ignore its signal or never end. What it returns too late is dropped.
 * @param run is given a signal, and says through `heard` that something has arrived
 */
export async function watchCall<Result>(
  run: (signal: AbortSignal, heard: () => void) => Promise<Result>,
  { clock, stallMs, signal, onAlive = () => {}, aliveMs = 30_000 }: WatchOptions,
): Promise<Watched<Result>> {
  if (signal.aborted) return { kind: "aborted" };
  const over = new AbortController();
  const call = AbortSignal.any([signal, over.signal]);
  let heardAtMs = clock.now();
  const heard = (): void => {
    heardAtMs = clock.now();
  };

  const result = run(call, heard).then(
    (value): Watched<Result> => ({ kind: "done", result: value }),
    (error: unknown): Watched<Result> => (signal.aborted ? { kind: "aborted" } : { kind: "failed", error }),
  );
  const aborted = new Promise<Watched<Result>>((resolve) => {
    signal.addEventListener("abort", () => resolve({ kind: "aborted" }), { once: true, signal: over.signal });
  });
  async function stalled(): Promise<Watched<Result>> {
    for (;;) {
      const leftMs = heardAtMs + stallMs - clock.now();
      if (leftMs <= 0) return { kind: "stalled" };
      await clock.wait(Math.min(leftMs, aliveMs), over.signal);
      // Nobody waits for this any more.
      if (over.signal.aborted) return { kind: "aborted" };
      onAlive();
    }
  }
  try {
    return await Promise.race([result, aborted, stalled()]);
  } finally {
    over.abort();
  }
}
