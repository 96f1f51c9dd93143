// Searches a session for words, and one text for a literal string.

import { type Entry, readPayload } from "../log/entry.ts";
import { isMatch, type Phrase, readQuery, snippetOf } from "../log/search-text.ts";
import type { LogReader, SearchHit } from "../stores/store.ts";
import { headOf, tailOf } from "../text.ts";
import { type ContentSources, contentOf, type LinePiece, linePieces } from "./read.ts";

/**
 * Searches all entries for words: first with the index of the store, then line by line in content in files. In a file, all words
 * must be on one line.
 */
export async function searchSession(query: string, options: SearchSessionOptions): Promise<SessionHits> {
  const { log, maxEntries: limit } = options;
  const phrases = readQuery(query);
  const { messages, summaries } = await searchLog(query, options);
  const hits = new Map(messages.map((hit) => [hit.sequence, hit]));
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

/** The entries that contain the words, and the stored content that was not searched. */
export interface SessionHits {
  /** Newest first; summaries come last, because they repeat earlier messages. */
  readonly hits: readonly SearchHit[];
  /** Entries whose stored content was not searched, newest first: they may also contain the words. */
  readonly unsearched: readonly Unsearched[];
}

/** An entry whose stored content was not searched. */
export interface Unsearched {
  readonly entry: number;
  /**
   * `too-much`: the entry and the newer entries exceed the limit of one search; a search within the entry reads all of it.
   * `expired`: the file is gone. `changed`: the content differs from the stored content. `unreadable`: the file could not be read.
   */
  readonly why: "too-much" | "expired" | "changed" | "unreadable";
}

interface SearchSessionOptions extends ContentSources {
  readonly log: LogReader;
  readonly maxEntries: number;
}

/** The limit of one search in files: about a second of work. */
const MAX_STORED_BYTES = 33_554_432;

/** Searches the log, and separates messages from summaries. Several summaries may repeat the same hit, so it reads several pages. */
async function searchLog(query: string, { log, maxEntries: limit }: SearchSessionOptions): Promise<LogHits> {
  const messages: SearchHit[] = [];
  const summaries: SearchHit[] = [];
  let pages = 0;
  for await (const page of pagesOfHits(query, log, limit)) {
    const { entries } = await log.readBatch({ ranges: page.map(({ sequence }) => ({ from: sequence, to: sequence })) });
    const boundaries = new Set(entries.filter(({ kind }) => kind === "boundary").map(({ sequence }) => sequence));
    for (const hit of page) (boundaries.has(hit.sequence) ? summaries : messages).push(hit);
    pages++;
    if (pages === MAX_PAGES || messages.length >= limit) break;
  }
  return { messages, summaries };
}

interface LogHits {
  readonly messages: readonly SearchHit[];
  readonly summaries: readonly SearchHit[];
}

/** The maximum number of pages of hits to read for messages. */
const MAX_PAGES = 10;

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

/** The words in the tag of every preview. A search of the log for them finds all stored entries. */
const STORED = '"persisted output"';

/** The number of stored entries per page. */
const STORED_ENTRIES = 100;

/** Returns all hits of a query, newest first, in pages of `size`. */
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

/** Searches the stored content of an entry. */
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

/** The overlap of pieces of a long line. It is longer than any query, so that a cut hides no words. */
const OVERLAP_CHARACTERS = 512;

/** Returns the lines of a text that contain a string, and each matching piece of a very long line. */
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

interface SearchRange {
  /** The string, ignoring case. */
  readonly search: string;
  readonly fromLine: number;
  readonly maxCharacters: number;
}

/** The place of a match, with its line or, in a long line, the text around the match. */
export type FoundLine = LinePiece;

interface FoundLines {
  readonly found: readonly FoundLine[];
  /** The line to continue from; undefined if the whole text was searched. */
  readonly nextLine: number | undefined;
}

function around(text: string, at: number, length: number): string {
  if (text.length <= 2 * CONTEXT_CHARACTERS + length) return text;
  const before = tailOf(text.slice(0, at), CONTEXT_CHARACTERS);
  const after = headOf(text.slice(at), length + CONTEXT_CHARACTERS);
  return `${before.length < at ? "..." : ""}${before}${after}${at + after.length < text.length ? "..." : ""}`;
}

const CONTEXT_CHARACTERS = 120;
