import type { Clock } from "../clock.ts";
import { NO_LONGER_NEEDED } from "../no-longer-needed.ts";
import type { Surroundings } from "./surroundings.ts";

export interface TimeoutOptions {
  readonly clock: Required<Clock>;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
  /** @default 10,000 */
  readonly timeoutMs?: number;
}

/** What a host does not answer in time, or answers by throwing, is left out: a disk that hangs must not hang the session. */
export function withTimeout(surroundings: Surroundings, options: TimeoutOptions): Surroundings {
  const { clock, signal, timeoutMs = 10_000 } = options;
  const bounded = Object.entries(surroundings).map(([name, ask]: [string, Ask]) => [
    name,
    async (path: string) => {
      const answered = new AbortController();
      const late = clock.wait(timeoutMs, AbortSignal.any([signal, answered.signal]));
      try {
        return await Promise.race([ask(path), late.then(() => undefined)]);
      } catch {
        return undefined;
      } finally {
        answered.abort(NO_LONGER_NEEDED);
      }
    },
  ]);
  return Object.fromEntries(bounded) as Surroundings;
}

type Ask = (path: string) => Promise<unknown>;
