/** Calls back whenever there may be something new, until it is stopped. */
export type Listen = (onRing: () => void) => { stop(): void };

/** Waits for rings. One that comes while the listener is busy is not forgotten. */
export interface Rings {
  /** Forgets the rings so far: call it before looking. */
  reset(): void;
  /** Resolves when it rang since the last reset, or when the signal is aborted. */
  next(signal?: AbortSignal): Promise<void>;
  stop(): void;
}

export function createRings(listen: Listen): Rings {
  let rung = Promise.withResolvers<void>();
  const listening = listen(() => rung.resolve());
  return {
    reset() {
      rung = Promise.withResolvers();
    },
    async next(signal) {
      if (signal?.aborted) return;
      const ended = Promise.withResolvers<void>();
      const end = (): void => ended.resolve();
      signal?.addEventListener("abort", end);
      await Promise.race([rung.promise, ended.promise]);
      signal?.removeEventListener("abort", end);
    },
    stop: () => listening.stop(),
  };
}
