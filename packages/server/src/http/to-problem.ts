import {
  ForkError,
  InvalidContentError,
  InvalidOptionError,
  NoSuchEntryError,
  SessionBusyError,
  SessionLostError,
  WindowFullError,
} from "palimpsest";
import { type Problem, problem } from "./problems.ts";

/** What an operation of a session refuses, for the client; undefined for what is a failure of the server. */
export function toProblem(error: unknown, nowMs: number): Problem | undefined {
  if (SessionBusyError.isInstance(error)) {
    const retryAfterMs = Math.max(1_000, error.freeAtMs - nowMs);
    const what = "Wait until its turn ends, or cancel the turn with POST .../cancel, then try again.";
    const { owner, freeAtMs } = error;
    return problem("session-busy", `${owner} writes the session. ${what}`, { retryAfterMs, more: { owner, freeAtMs } });
  }
  if (SessionLostError.isInstance(error))
    return problem("session-changed", "Another process took the session over. Nothing was written. Try again.", {
      retryAfterMs: 1_000,
    });
  const isImpossible = [NoSuchEntryError, ForkError, InvalidContentError, InvalidOptionError, WindowFullError].some(
    (kind) => (kind as typeof NoSuchEntryError).isInstance(error),
  );
  return isImpossible ? problem("not-possible", (error as Error).message) : undefined;
}
