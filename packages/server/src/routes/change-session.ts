import type { Session } from "palimpsest";
import { inSession } from "../host/in-session.ts";
import { readSnapshot, stateOf } from "../host/read-snapshot.ts";
import type { TenantSessions } from "../host/session-host.ts";
import { problem } from "../http/problems.ts";
import type { Reply } from "../http/route.ts";

const BUSY = "A turn of the session is running. Wait until it ends, or end it with POST .../cancel, then try again.";

/**
 * Changes a session between its turns. Whether one is running is read from the log: workers keep sessions open that do not run. A turn that
 * begins just then loses the session, and is begun again by its worker.
 */
export async function changeSession(
  tenant: Pick<TenantSessions, "open" | "store">,
  session: string,
  work: (session: Session) => Promise<Reply>,
): Promise<Reply> {
  const state = await readSnapshot(tenant, session, async (snapshot) => stateOf(snapshot));
  if (state === "running") return problem("session-busy", BUSY, { retryAfterMs: 1_000 });
  return inSession(tenant.open(session, tenant.store, "write"), work);
}
