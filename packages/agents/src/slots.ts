/** Limits how many run at a time; others wait in order. */
export interface Slots {
  /** Resolves to a function that releases the slot, or to undefined if the signal came first. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** @param most asked each time, so that a setting can change */
export function createSlots(most: () => number): Slots {
  const waiting: { enter(): void }[] = [];
  let taken = 0;

  function admit(): void {
    while (waiting.length > 0 && taken < most()) {
      taken++;
      waiting.shift()!.enter();
    }
  }

  return {
    async take(signal) {
      const entered = Promise.withResolvers<"in" | "out">();
      const one = { enter: () => entered.resolve("in") };
      const leave = (): void => entered.resolve("out");
      if (signal.aborted) return undefined;
      signal.addEventListener("abort", leave);
      waiting.push(one);
      admit();
      const how = await entered.promise;
      signal.removeEventListener("abort", leave);
      const at = waiting.indexOf(one);
      if (how === "out" && at >= 0) {
        waiting.splice(at, 1);
        return undefined;
      }
      let held = true;
      const release = (): void => {
        if (held) taken--;
        held = false;
        admit();
      };
      if (how === "in") return release;
      release();
      return undefined;
    },
  };
}
