import type { Run } from "@palimpsest/coordination";
import type { ServeOptions } from "./scheduler.ts";

/**
 * Sessions whose runs came to no end so often that they may be what ends workers. They run one at a time on a worker: otherwise sessions
 * that were on the same worker each time would be set aside with the one that ended it.
 */
export interface Suspects {
  /** Gives back all suspects but one, before that one can end this worker. Returns the runs that may start. */
  admit(runs: readonly Run[]): Promise<readonly Run[]>;
  /** A run is over. */
  end(run: Run): void;
}

const SUSPECT_FROM_ATTEMPT = 3;
/** A suspect that was given back is looked at again after a while, here or elsewhere. */
const [LEAST_PUT_OFF_MS, MOST_PUT_OFF_MS] = [500, 1_500];

export function createSuspects({ onError }: Pick<ServeOptions, "onError">): Suspects {
  const running = new Set<Run>();
  return {
    async admit(runs) {
      const suspects = runs.filter(isSuspect);
      const late = suspects.slice(running.size > 0 ? 0 : 1);
      const isLate = (run: Run): boolean => late.includes(run);
      for (const run of suspects) if (!isLate(run)) running.add(run);
      const afterMs = LEAST_PUT_OFF_MS + Math.random() * (MOST_PUT_OFF_MS - LEAST_PUT_OFF_MS);
      await Promise.all(late.map((run) => run.release({ afterMs }).catch((error) => onError?.(error, run))));
      return runs.filter((run) => !isLate(run));
    },
    end: (run) => void running.delete(run),
  };
}

function isSuspect({ attempt }: Run): boolean {
  return attempt >= SUSPECT_FROM_ATTEMPT;
}
