import type { ForkPayload } from "../log/payload.ts";
import { readPayload } from "../log/read-payload.ts";
import { eachSession } from "./list-sessions.ts";
import type { Store } from "./store.ts";

type Logs = Pick<Store, "list" | "openReader">;

/** What a session is a fork of, as its first entry says; undefined if it is none. */
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

/** The sessions that are forks of this one. A log that cannot be read cites nothing: it cannot be opened either. */
export async function forksOf(store: Logs, session: string): Promise<readonly string[]> {
  const forks: string[] = [];
  for await (const { id } of eachSession(store)) {
    const fork = id === session ? undefined : await readFork(store, id).catch(() => undefined);
    if (fork?.session === session) forks.push(id);
  }
  return forks;
}
