import { createRings, type Listen, type Rings } from "../rings.ts";

/** Waits until there may be work. Call `looking` before each look. */
export interface WorkWait {
  /** Call it before looking for work. */
  looking(): void;
  /** Resolves when there may be work that was not there when it was last looked for. */
  wait(signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** Listens from the first wait on. That wait is over at once: nobody knows what came before it. */
export function waitForWork(listen: Listen): WorkWait {
  let rings: Rings | undefined;
  let state: "open" | "closed" = "open";
  return {
    looking: () => rings?.reset(),
    async wait(signal) {
      if (state === "closed") return;
      if (rings !== undefined) return rings.next(signal);
      rings = createRings(listen);
    },
    close() {
      state = "closed";
      rings?.stop();
    },
  };
}
