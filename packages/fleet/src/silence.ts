/** Notices that nobody has been heard of for a while. */
export interface Silence {
  /** Somebody was heard of. */
  heard(): void;
  readonly state: "heard" | "silent";
  /** Rejects when it is silent. */
  readonly begins: Promise<never>;
  stop(): void;
}

export function watchSilence(afterMs: number, why: string): Silence {
  const begun = Promise.withResolvers<never>();
  // Whoever watches may have ended before.
  begun.promise.catch(() => undefined);
  let state: Silence["state"] = "heard";
  const timer = setTimeout(() => {
    state = "silent";
    begun.reject(new Error(why));
  }, afterMs);
  return {
    heard: () => void (state === "heard" && timer.refresh()),
    get state() {
      return state;
    },
    begins: begun.promise,
    stop: () => clearTimeout(timer),
  };
}
