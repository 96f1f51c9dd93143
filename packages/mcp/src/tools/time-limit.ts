/** How long a page may take before the rest is left for the next one. Clients give up on calls: the strictest after 60 seconds. */
const PAGE_MS = 20_000;

export interface TimeLimit {
  isReached(): boolean;
}

export function startTimeLimit(now: () => number): TimeLimit {
  const endMs = now() + PAGE_MS;
  return { isReached: () => now() >= endMs };
}
