import type { AgentSession } from "../extension/open-agent-session.ts";

/**
 * Keeps the prompt in the provider's cache while the user is waited for, where the settings (`keepWarm.*`) allow it and it
 * saves money. Ends with the next request, or when the session is closed. Tools that run long are the loop's to think of.
 */
export function keepCacheWarm(session: Pick<AgentSession, "provider">): void {
  // A ping that fails costs nothing but the warmth, and a session that is gone needs none.
  void session.provider.keepWarm({ activity: "waiting" }).catch(() => undefined);
}
