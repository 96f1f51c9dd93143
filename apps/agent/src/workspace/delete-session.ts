import { isAgentSession } from "@palimpsest/agents";
import type { Store } from "palimpsest";
import { eachSession } from "palimpsest/inspect";

export type DeletedSession =
  | { readonly kind: "deleted"; readonly agents: number }
  /** Nothing was deleted of the session itself; `why` says what to do. */
  | { readonly kind: "refused"; readonly why: string };

/**
 * Deletes a session with its results, and the sessions of its agents. The agents go first, the innermost before the others: a
 * session that a fork cites cannot be deleted.
 */
export async function deleteSession(store: Store, session: string): Promise<DeletedSession> {
  const busy = await store.writerOf(session);
  if (busy !== undefined) return { kind: "refused", why: inUse(session, busy.owner) };
  const agents: string[] = [];
  for await (const { id } of eachSession(store)) {
    if (isAgentSession(id) && id.startsWith(`${session}-`)) agents.push(id);
  }
  const innermostFirst = agents.toSorted((one, other) => other.length - one.length);
  for (const id of [...innermostFirst, session]) {
    const result = await store.delete(id);
    if (result.kind === "busy") return { kind: "refused", why: inUse(id, result.owner) };
    if (result.kind === "cited") {
      const forks = result.forks.join(", ");
      return { kind: "refused", why: `Session ${id} has forks that show its entries. Delete them first: ${forks}.` };
    }
  }
  return { kind: "deleted", agents: agents.length };
}

function inUse(session: string, owner: string): string {
  return `Session ${session} is in use by ${owner}. Close that program, then delete the session.`;
}
