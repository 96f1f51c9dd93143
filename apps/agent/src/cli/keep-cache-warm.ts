import type { AgentSession } from "../extension/open-agent-session.ts";

/**
 * Keeps the prompt in the provider's cache while the agent waits for the user, if the settings (`keepWarm.*`) allow it and it
 * saves money. Ends with the next request, or when the session is closed. The agent loop does the same during long tool calls.
 */
export function keepCacheWarm(session: Pick<AgentSession, "provider">): void {
  // A failed ping only means a cold cache, and a closed session needs no cache.
  void session.provider.keepWarm({ activity: "waiting" }).catch(() => undefined);
}
