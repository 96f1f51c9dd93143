/** Time, as a session knows it. */
export interface Clock {
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. @default the system's timers */
  wait?(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export type WholeClock = Required<Clock>;

/** A clock whose timers are the system's, unless it has its own. */
export function wholeClock({ now, wait = systemWait }: Clock): WholeClock {
  return { now, wait };
}

function systemWait(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
  });
}
