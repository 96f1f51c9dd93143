import type { ProviderError } from "palimpsest";
import type { WorkOutcome } from "./scheduler.ts";

/** Behind the retries of the step itself. Random, so that sessions that failed together do not return together. */
const [LEAST_MS, MOST_MS] = [20_000, 40_000];

/** When to try again if the provider is away. Throws the error if it is about this session: trying again would not help. */
export function postponedBy(error: ProviderError, random: () => number = Math.random): WorkOutcome {
  const { failure } = error;
  const waitMs = LEAST_MS + random() * (MOST_MS - LEAST_MS);
  switch (failure.kind) {
    case "rate-limited":
    case "overloaded":
      return { kind: "later", afterMs: Math.max(waitMs, failure.retryAfterMs ?? 0) };
    case "unreachable":
    case "broken-stream":
      return { kind: "later", afterMs: waitMs };
    default:
      throw error;
  }
}
