import type { ForkPayload } from "../log/branch-payloads.ts";
import { readPayload } from "../log/draft.ts";
import { eachSession } from "./list-sessions.ts";
import type { Store } from "./store.ts";

type Logs = Pick<Store, "list" | "openReader">;

/** Returns the parent of a session, by its first entry; undefined if the session is no fork. */
export async function readFork(store: Pick<Store, "openReader">, session: string): Promise<ForkPayload | undefined> {
  const reader = await store.openReader(session);
  try {
    const [first] = (await reader?.read(1, 1)) ?? [];
    const read = first && readPayload(first);
    return read?.kind === "fork" ? read.payload : undefined;
  } finally {
    await reader?.close();
  }
}

/** Returns the parent of every fork. A log that cannot be read counts as no fork: it cannot be opened either. */
export async function readParents(store: Logs): Promise<Map<string, string>> {
  const parents = new Map<string, string>();
  for await (const { id } of eachSession(store)) {
    const parent = (await readFork(store, id).catch(() => undefined))?.session;
    if (parent !== undefined && parent !== id) parents.set(id, parent);
  }
  return parents;
}

/** Returns the forks of a session. */
export async function forksOf(store: Logs, session: string): Promise<readonly string[]> {
  return [...(await readParents(store))].filter(([, parent]) => parent === session).map(([id]) => id);
}
