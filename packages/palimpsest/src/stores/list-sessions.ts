import type { ListedSession, ListOptions, Store } from "./store.ts";

const PAGE_SESSIONS = 100;

/** Returns one page of ids, ordered by code units, and the start of the next page. For stores that hold all ids at once. */
export function pageOf(
  ids: Iterable<string>,
  { after = "", limit = PAGE_SESSIONS }: ListOptions = {},
): { readonly ids: readonly string[]; readonly next?: string } {
  const behind = [...ids].filter((id) => id > after).sort();
  const page = behind.slice(0, Math.max(1, Math.floor(limit)));
  const last = page.at(-1);
  return last === undefined || page.length === behind.length ? { ids: page } : { ids: page, next: last };
}

/** Yields all sessions of a store, page by page. */
export async function* eachSession(store: Pick<Store, "list">): AsyncGenerator<ListedSession> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { sessions, next }: Awaited<ReturnType<Store["list"]>> = await store.list({ after });
    yield* sessions;
    after = next;
  }
}
