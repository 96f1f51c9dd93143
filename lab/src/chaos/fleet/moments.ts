import type { Phase, Trap, WorkerNews } from "./phases.ts";

/** The moments of a worker at which it can be killed. */
export interface Moments {
  /** Does not resolve if the worker is to be killed here. */
  reach(phase: Phase, session: string): Promise<void>;
  set(trap: Trap): void;
  /** Removes the trap, and lets go whoever stands in it. */
  release(): void;
}

export function createMoments(tell: (news: WorkerNews) => void): Moments {
  let trap: Trap | undefined;
  let skip = 0;
  let letGo = (): void => undefined;
  return {
    set(next) {
      trap = next;
      skip = next.skip;
    },
    async reach(phase, session) {
      if (trap === undefined || trap.phase !== phase || trap.except.includes(session) || skip-- > 0) return;
      trap = undefined;
      tell({ kind: "trapped", phase, session });
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
    },
    release() {
      trap = undefined;
      letGo();
    },
  };
}
