/** Carries events of an asynchronous work out of the generator that waits for it. */
export interface EventChannel<Event> {
  emit(event: Event): void;
  /** Yields emitted events until the work ends, and returns its result. */
  during<Result>(work: Promise<Result>): AsyncGenerator<Event, Result>;
}

/** @param onAbandoned called when the consumer stops: the work should end soon, and is awaited */
export function createEventChannel<Event>(onAbandoned: () => void): EventChannel<Event> {
  const waiting: Event[] = [];
  let wake = (): void => {};

  return {
    emit(event) {
      waiting.push(event);
      wake();
    },

    async *during(work) {
      let phase: "running" | "ended" = "running";
      const end = (): void => {
        phase = "ended";
        wake();
      };
      const ended = work.then(end, end);
      const isRunning = (): boolean => phase === "running";
      let left: "early" | "at-the-end" = "early";
      try {
        for (;;) {
          while (waiting.length > 0) yield waiting.shift()!;
          if (!isRunning()) break;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        left = "at-the-end";
      } finally {
        if (left === "early") {
          onAbandoned();
          await ended;
        }
      }
      return work;
    },
  };
}
