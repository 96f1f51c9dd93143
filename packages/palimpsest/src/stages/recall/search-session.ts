import type { Entry } from "../../log/entry.ts";
import { readPayload } from "../../log/read-payload.ts";
import { isMatch, type Phrase, readQuery, snippetOf } from "../../log/search-text.ts";
import type { LogReader, SearchHit } from "../../stores/store.ts";
import { type ContentSources, contentOf } from "./content-of.ts";
import { linePieces } from "./line-pieces.ts";

export interface SessionHits {
  /** Newest first. */
  readonly hits: readonly SearchHit[];
  /** Entries whose stored content was not looked through, newest first: they may have the words, too. */
  readonly unsearched: readonly Unsearched[];
}

export interface Unsearched {
  readonly entry: number;
  /**
   * `too-much`: together with the newer ones it is more than one search looks through; a search in the entry looks at all
   * of it. `expired`, `changed`: its file is gone, or is not what was stored. `unreadable`: it could not be read.
   */
  readonly why: "too-much" | "expired" | "changed" | "unreadable";
}

export interface SearchSessionOptions extends ContentSources {
  readonly log: LogReader;
  readonly maxEntries: number;
}

/** What every preview says of itself: the words of its tag. The log is searched for them to find what was stored. */
const STORED = '"persisted output"';
/** How many of them are asked for at once. */
const STORED_ENTRIES = 100;
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
  const unsearched: Unsearched[] = [];
  let leftBytes = MAX_STORED_BYTES;
  for await (const { entry, bytes } of storedEntries(log)) {
    if (hits.has(entry.sequence)) continue;
    if (bytes > leftBytes) {
      unsearched.push({ entry: entry.sequence, why: "too-much" });
      continue;
    }
    const found = await searchStored(entry, phrases, options);
    if (found.kind !== "searched") {
      unsearched.push({ entry: entry.sequence, why: found.kind });
      continue;
    }
    leftBytes -= bytes;
    if (found.snippet !== undefined) hits.set(entry.sequence, { sequence: entry.sequence, snippet: found.snippet });
  }
  const newestFirst = [...hits.values()].sort((one, other) => other.sequence - one.sequence);
  return { hits: newestFirst.slice(0, limit), unsearched };
}

/** All entries whose content stands in a file, newest first. */
async function* storedEntries(log: LogReader): AsyncGenerator<{ readonly entry: Entry; readonly bytes: number }> {
  for (let to = (await log.head()).sequence; to > 0; ) {
    const named = await log.search(STORED, { limit: STORED_ENTRIES, to });
    for (const { sequence } of named) {
      const [entry] = await log.read(sequence, sequence);
      const read = entry && readPayload(entry);
      const bytes = read?.kind === "message" ? read.payload.stored?.bytes : undefined;
      if (entry !== undefined && bytes !== undefined) yield { entry, bytes };
    }
    if (named.length < STORED_ENTRIES) return;
    to = named.at(-1)!.sequence - 1;
  }
}

async function searchStored(
  entry: Entry,
  phrases: readonly Phrase[],
  sources: ContentSources,
): Promise<
  { readonly kind: "searched"; readonly snippet?: string } | { readonly kind: Exclude<Unsearched["why"], "too-much"> }
> {
  try {
    const content = await contentOf(entry, sources);
    if (content.kind === "expired" || content.kind === "changed") return { kind: content.kind };
    if (content.kind !== "content") return { kind: "searched" };
    for await (const { line, text } of linePieces(content.pieces, OVERLAP_CHARACTERS)) {
      if (isMatch(text, phrases)) return { kind: "searched", snippet: `line ${line}: ${snippetOf(text, phrases)}` };
    }
    return { kind: "searched" };
  } catch {
    // A disk that fails for one of them: the others are searched all the same.
    return { kind: "unreadable" };
  }
}
