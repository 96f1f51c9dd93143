import type { Run } from "@palimpsest/coordination";
import type { ServeOptions } from "./scheduler.ts";

/**
 * Sessions whose runs came to no end so often that they may be what ends workers. Fewer and fewer of them run together on a worker, and in
 * the end one at a time: otherwise sessions that were on the same worker each time would be set aside with the one that ended it. One at a
 * time from the beginning would find it, too, but the innocent would wait for each other's turns.
 */
export interface Suspects {
  /**
   * Gives back the suspects that are too many. Those that stay are renewed, by which their attempts count, and only then can end this worker:
   * what it has taken and not let in is no attempt, however it ends. Returns the runs that may start.
   */
  admit(runs: readonly Run[]): Promise<readonly Run[]>;
  /** A run is over. */
  end(run: Run): void;
}

/** At an attempt, so many suspects at most run on a worker; one from the last of them on. */
const MOST_TOGETHER: Readonly<Record<number, number>> = {
  1: Number.POSITIVE_INFINITY,
  2: Number.POSITIVE_INFINITY,
  3: 4,
  4: 2,
};
/** A suspect that was given back is looked at again after a while, here or elsewhere. */
const [LEAST_PUT_OFF_MS, MOST_PUT_OFF_MS] = [200, 600];

/** For runs that only send sessions elsewhere: none of them can end this worker. */
export const NO_SUSPECTS: Suspects = { admit: async (runs) => runs, end: () => undefined };

export function createSuspects({ onError }: Pick<ServeOptions, "onError">): Suspects {
  const running = new Set<Run>();
  const hasRoomFor = (run: Run): boolean => [...running, run].every((one) => running.size < mostTogether(one));
  const putOff = async (run: Run): Promise<void> => {
    const afterMs = LEAST_PUT_OFF_MS + Math.random() * (MOST_PUT_OFF_MS - LEAST_PUT_OFF_MS);
    await run.release({ afterMs }).catch((error) => onError?.(error, run));
  };
  const count = async (run: Run): Promise<void> => {
    const renewed = await run.renew().catch((error) => onError?.(error, run));
    if (renewed === undefined || renewed === "lost") running.delete(run);
  };
  return {
    async admit(runs) {
      const late: Run[] = [];
      for (const run of runs.filter(isSuspect)) hasRoomFor(run) ? running.add(run) : late.push(run);
      await Promise.all([...late.map(putOff), ...runs.filter((run) => running.has(run)).map(count)]);
      return runs.filter((run) => !isSuspect(run) || running.has(run));
    },
    end: (run) => void running.delete(run),
  };
}

function isSuspect(run: Run): boolean {
  return mostTogether(run) < Number.POSITIVE_INFINITY;
}

function mostTogether({ attempt }: Run): number {
  return MOST_TOGETHER[attempt] ?? 1;
}
