/** A timer that is set and has not rung yet, with what its clock wants to know of it. */
export type Timer<About extends { readonly atMs: number }> = About & { ring(): void };

/** The timers of a clock that does not run by itself. */
export interface Timers<About extends { readonly atMs: number }> {
  /** In the order they were set. */
  pending(): readonly Timer<About>[];
  /** Resolves when the clock rings this timer, or as soon as the signal is aborted. */
  set(about: About, signal?: AbortSignal): Promise<void>;
}

/** Timers that fire when a test moves the clock. */
export function createTimers<About extends { readonly atMs: number } = { readonly atMs: number }>(): Timers<About> {
  const timers = new Set<Timer<About>>();
  return {
    pending: () => [...timers],
    set(about, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer: Timer<About> = {
        ...about,
        ring() {
          timers.delete(timer);
          signal?.removeEventListener("abort", timer.ring);
          resolve();
        },
      };
      timers.add(timer);
      signal?.addEventListener("abort", timer.ring);
      return promise;
    },
  };
}
