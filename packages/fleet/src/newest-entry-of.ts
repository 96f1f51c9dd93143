import type { Store } from "palimpsest";

/** The number of the newest entry in a session's log; undefined if there is no such session. */
export async function newestEntryOf(store: Pick<Store, "openReader">, session: string): Promise<number | undefined> {
  const reader = await store.openReader(session);
  if (reader === undefined) return undefined;
  try {
    return (await reader.head()).sequence;
  } finally {
    await reader.close();
  }
}
