import { recall } from "../stages/recall/recall.ts";
import type { SearchHit } from "../stores/store.ts";
import type { SurvivorSources } from "./inspected.ts";

const MAX_HITS = 100;

/** Finds entries by their words, newest first: in the log, and in results that are too large for it. */
export async function searchInspected(
  { log, session, files }: SurvivorSources,
  words: string,
  { limit = MAX_HITS }: { readonly limit?: number } = {},
): Promise<readonly SearchHit[]> {
  const found = await recall(
    { search: words },
    { log, session, maxEntries: limit, ...(files === undefined ? {} : { files }) },
  );
  return found.kind === "entries" ? found.hits : [];
}
