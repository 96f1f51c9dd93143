import { readPayload } from "../../log/read-payload.ts";
import { isMatch, type Phrase, readQuery, snippetOf } from "../../log/search-text.ts";
import type { LogReader, SearchHit } from "../../stores/store.ts";
import { type ContentSources, contentOf } from "./content-of.ts";
import { linePieces } from "./line-pieces.ts";

export interface SessionHits {
  /** Newest first. */
  readonly hits: readonly SearchHit[];
  /** Entries with a stored content that was too much to look through; a search in one of them looks at all of it. */
  readonly unsearched: readonly number[];
}

export interface SearchSessionOptions extends ContentSources {
  readonly log: LogReader;
  readonly maxEntries: number;
}

/** What every preview says of itself: the words of its tag. The log is searched for them to find what was stored. */
const STORED = '"persisted output"';
const MAX_STORED_ENTRIES = 100;
/** Longer than what a query has, so that its words are found where a long line was cut. */
const OVERLAP_CHARACTERS = 512;
/** About a second's work. */
const MAX_STORED_BYTES = 33_554_432;

/**
 * Searches all entries for words: through the index of the log, and line by line in what was stored outside of it. There
 * all words must stand on one line.
 */
export async function searchSession(query: string, options: SearchSessionOptions): Promise<SessionHits> {
  const { log, maxEntries: limit } = options;
  const phrases = readQuery(query);
  const hits = new Map((await log.search(query, { limit })).map((hit) => [hit.sequence, hit]));
  const unsearched: number[] = [];
  let leftBytes = MAX_STORED_BYTES;
  for (const { sequence } of await log.search(STORED, { limit: MAX_STORED_ENTRIES })) {
    const bytes = hits.has(sequence) ? undefined : await storedBytes(log, sequence);
    if (bytes === undefined) continue;
    if (bytes > leftBytes) {
      unsearched.push(sequence);
      continue;
    }
    leftBytes -= bytes;
    const snippet = await searchStored(sequence, phrases, options);
    if (snippet !== undefined) hits.set(sequence, { sequence, snippet });
  }
  const newestFirst = [...hits.values()].sort((one, other) => other.sequence - one.sequence);
  return { hits: newestFirst.slice(0, limit), unsearched };
}

async function storedBytes(log: LogReader, sequence: number): Promise<number | undefined> {
  const [entry] = await log.read(sequence, sequence);
  const read = entry && readPayload(entry);
  return read?.kind === "message" ? read.payload.stored?.bytes : undefined;
}

async function searchStored(
  sequence: number,
  phrases: readonly Phrase[],
  { log, ...sources }: SearchSessionOptions,
): Promise<string | undefined> {
  const [entry] = await log.read(sequence, sequence);
  const content = entry && (await contentOf(entry, sources));
  if (content?.kind !== "content") return undefined;
  for await (const { line, text } of linePieces(content.pieces, OVERLAP_CHARACTERS)) {
    if (isMatch(text, phrases)) return `line ${line}: ${snippetOf(text, phrases)}`;
  }
  return undefined;
}
