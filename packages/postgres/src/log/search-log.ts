import { entryText } from "palimpsest/inspect";
import { type Entry, isMatch, readQuery, type SearchHit, type SearchOptions, snippetOf } from "palimpsest/store-parts";
import { toSequence } from "./entry-row.ts";

/** So much is looked at in one round trip. */
const CHARACTERS_PER_READ = 262_144;

type ReadBack = (from: number, to: number, characters: number) => Promise<readonly Entry[]>;

/** Reads back from the end until enough is found. There is no index: it would cost every append, and most logs are small. */
export async function searchLog(
  readBack: ReadBack,
  query: string,
  { limit, from = 1, to = Number.POSITIVE_INFINITY }: SearchOptions,
): Promise<readonly SearchHit[]> {
  const phrases = readQuery(query);
  const hits: SearchHit[] = [];
  if (phrases.length === 0) return hits;
  const first = Math.max(1, toSequence(from));
  for (let last = toSequence(to); last >= first && hits.length < limit; ) {
    const entries = await readBack(first, last, CHARACTERS_PER_READ);
    for (const entry of entries) {
      const text = entryText(entry);
      if (hits.length < limit && text !== undefined && isMatch(text, phrases))
        hits.push({ sequence: entry.sequence, snippet: snippetOf(text, phrases) });
    }
    last = (entries.at(-1)?.sequence ?? 0) - 1;
  }
  return hits;
}
