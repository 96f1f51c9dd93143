import type { Session } from "palimpsest";
import { inSession } from "./in-session.ts";
import type { TenantSessions } from "./session-host.ts";
import { snapshotStore } from "./snapshot-store.ts";

/** Reads a session as it is now, whoever writes it. */
export function readSnapshot<Result>(
  { open, store }: Pick<TenantSessions, "open" | "store">,
  session: string,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return inSession(open(session, snapshotStore(store), "read"), work);
}

/** What a session is doing, by its log. `running`: its turn has something to do. `waiting`: its calls wait for people. */
export type SessionState = "running" | "waiting" | "idle";

export function stateOf({ turn }: Pick<Session, "turn">): SessionState {
  const next = turn.next();
  if (next.kind === "nothing") return "idle";
  return next.kind === "calls" && next.calls.every(({ step }) => step === "waiting") ? "waiting" : "running";
}
