import { readPayload } from "../log/draft.ts";
import type { Entry } from "../log/entry.ts";
import { isMatch, type Phrase, readQuery, snippetOf } from "../log/search-text.ts";
import type { LogReader, SearchHit } from "../stores/store.ts";
import { headOf, tailOf } from "../text.ts";
import { type ContentSources, contentOf, type LinePiece, linePieces } from "./read.ts";

export interface SessionHits {
  /** Newest first, and summaries behind all others: each repeats what was said before it. */
  readonly hits: readonly SearchHit[];
  /** Entries whose stored content was not searched, newest first: they may also contain the words. */
  readonly unsearched: readonly Unsearched[];
}

export interface Unsearched {
  readonly entry: number;
  /**
   * `too-much`: the entry and the newer ones exceed the limit of one search; a search within the entry reads all of it.
   * `expired`, `changed`: the file is gone, or its content is not what was stored. `unreadable`: the file could not be
   * read.
   */
  readonly why: "too-much" | "expired" | "changed" | "unreadable";
}

interface SearchSessionOptions extends ContentSources {
  readonly log: LogReader;
  readonly maxEntries: number;
}

/** Words in the tag of every preview. Searching the log for them finds all stored entries. */
const STORED = '"persisted output"';
/** So many queries of the log look for hits that are no summaries. */
const MAX_LOOKS = 10;
/** The number of stored entries per query of the log. */
const STORED_ENTRIES = 100;
/** Longer than any query, so that words are found where a long line was cut. */
const OVERLAP_CHARACTERS = 512;
/** About a second of work. */
const MAX_STORED_BYTES = 33_554_432;

/**
 * Searches all entries for words: with the log's index, and line by line in content stored outside the log. In stored
 * content all words must be on one line.
 */
export async function searchSession(query: string, options: SearchSessionOptions): Promise<SessionHits> {
  const { log, maxEntries: limit } = options;
  const phrases = readQuery(query);
  const { said, summaries } = await searchLog(query, options);
  const hits = new Map(said.map((hit) => [hit.sequence, hit]));
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
  return { hits: [...newestFirst, ...summaries].slice(0, limit), unsearched };
}

interface LogHits {
  readonly said: readonly SearchHit[];
  readonly summaries: readonly SearchHit[];
}

/** Hits in the log. A session with many summaries has many that say the same, before the first that says more. */
async function searchLog(query: string, { log, maxEntries: limit }: SearchSessionOptions): Promise<LogHits> {
  const said: SearchHit[] = [];
  const summaries: SearchHit[] = [];
  let looks = 0;
  for await (const page of pagesOfHits(query, log, limit)) {
    const { entries } = await log.readBatch({ ranges: page.map(({ sequence }) => ({ from: sequence, to: sequence })) });
    const boundaries = new Set(entries.filter(({ kind }) => kind === "boundary").map(({ sequence }) => sequence));
    for (const hit of page) (boundaries.has(hit.sequence) ? summaries : said).push(hit);
    looks++;
    if (looks === MAX_LOOKS || said.length >= limit) break;
  }
  return { said, summaries };
}

/** Returns all entries whose content is in a file, newest first. */
async function* storedEntries(log: LogReader): AsyncGenerator<{ readonly entry: Entry; readonly bytes: number }> {
  for await (const page of pagesOfHits(STORED, log, STORED_ENTRIES)) {
    for (const { sequence } of page) {
      const [entry] = await log.read(sequence, sequence);
      const read = entry && readPayload(entry);
      const bytes = read?.kind === "message" ? read.payload.stored?.bytes : undefined;
      if (entry !== undefined && bytes !== undefined) yield { entry, bytes };
    }
  }
}

/** All hits of a query, newest first, as many as `size` at a time. */
async function* pagesOfHits(query: string, log: LogReader, size: number): AsyncGenerator<readonly SearchHit[]> {
  let to = Number.MAX_SAFE_INTEGER;
  let page: readonly SearchHit[];
  do {
    page = await log.search(query, { limit: size, to });
    if (page.length === 0) return;
    yield page;
    to = page.at(-1)!.sequence - 1;
  } while (page.length === size);
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
    // One unreadable file does not stop the search of the others.
    return { kind: "unreadable" };
  }
}

interface SearchRange {
  /** Literal text, ignoring case. */
  readonly search: string;
  readonly fromLine: number;
  readonly maxCharacters: number;
}

/** The place of a match with its line, or the text around the match if the line is long. */
export type FoundLine = LinePiece;

interface FoundLines {
  readonly found: readonly FoundLine[];
  /** The line to continue from; undefined if everything was searched. */
  readonly nextLine: number | undefined;
}

const CONTEXT_CHARACTERS = 120;

/** Returns the lines of a text that contain a search text. Of a very long line, each matching piece. */
export async function searchRange(
  pieces: AsyncIterable<string> | Iterable<string>,
  { search, fromLine, maxCharacters }: SearchRange,
): Promise<FoundLines> {
  const wanted = search.toLowerCase();
  const found: FoundLine[] = [];
  let characters = 0;
  for await (const { line, character, text } of linePieces(pieces, wanted.length - 1)) {
    if (line < fromLine) continue;
    const at = text.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    if (characters >= maxCharacters) return { found, nextLine: line };
    const shown = around(text, at, wanted.length);
    found.push({ line, character: character + at, text: shown });
    characters += shown.length;
  }
  return { found, nextLine: undefined };
}

function around(text: string, at: number, length: number): string {
  if (text.length <= 2 * CONTEXT_CHARACTERS + length) return text;
  const before = tailOf(text.slice(0, at), CONTEXT_CHARACTERS);
  const after = headOf(text.slice(at), length + CONTEXT_CHARACTERS);
  return `${before.length < at ? "..." : ""}${before}${after}${at + after.length < text.length ? "..." : ""}`;
}
