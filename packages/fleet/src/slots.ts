/** How many sessions run here at the same time. Whoever was sent first gets the next slot that is free. */
export interface Slots {
  /** Waits for a slot. `full`: none was free for so long, or none will be. */
  take(options: { readonly order: number; readonly withinMs: number }): Promise<"taken" | "full">;
  /** Gives a slot back. */
  free(): void;
  /** Whoever waits, waits no more. */
  close(): void;
}

interface Waiting {
  readonly order: number;
  end(outcome: "taken" | "full"): void;
}

export function createSlots(count: number): Slots {
  const waiting = new Set<Waiting>();
  let free = count;
  let isClosed = false;

  function next(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const one of waiting) if (first === undefined || one.order < first.order) first = one;
    return first;
  }

  return {
    async take({ order, withinMs }) {
      if (isClosed) return "full";
      if (free > 0) {
        free--;
        return "taken";
      }
      return new Promise((resolve) => {
        const one: Waiting = {
          order,
          end(outcome) {
            clearTimeout(timer);
            waiting.delete(one);
            resolve(outcome);
          },
        };
        const timer = setTimeout(() => one.end("full"), withinMs);
        waiting.add(one);
      });
    },
    free() {
      const first = next();
      if (first === undefined) free++;
      else first.end("taken");
    },
    close() {
      isClosed = true;
      for (const one of [...waiting]) one.end("full");
    },
  };
}
