import { contentOf, type NoContent, type TextContent } from "../../recall/read.ts";
import { type SessionHits, searchSession } from "../../recall/search.ts";
import type { ResultFiles } from "../../stores/results.ts";
import type { LogReader } from "../../stores/store.ts";
import { readRange, type TextPlace } from "./read-range.ts";
import { type FoundLine, searchRange } from "./search-range.ts";

/** The content to recall: a range of an entry, the matching lines of an entry, or the matching entries. */
export interface RecallRequest {
  /** Without an entry, all entries are searched. */
  readonly entry?: number;
  /** @default 1 */
  readonly fromLine?: number;
  /** The first character within that line, for lines longer than an answer. @default 1 */
  readonly fromCharacter?: number;
  /** The maximum number of lines. @default as many as fit */
  readonly lines?: number;
  /** Within one entry: literal text, ignoring case. Over all entries: words, or phrases "in quotes". */
  readonly search?: string;
}

export interface RecallSources {
  readonly log: LogReader;
  /** Without storage, stored results count as expired. */
  readonly files?: ResultFiles;
  readonly session: string;
  /** The maximum text of one answer. @default 10,000 */
  readonly maxCharacters?: number;
  /** The number of entries that a search over all of them returns. @default 20 */
  readonly maxEntries?: number;
}

/** What a recall found: text, lines, a list of matches, or the reason why there is nothing. */
export type Recalled =
  | {
      readonly kind: "text";
      readonly entry: number;
      readonly text: string;
      readonly from: TextPlace;
      readonly next?: TextPlace;
    }
  | { readonly kind: "lines"; readonly entry: number; readonly found: readonly FoundLine[]; readonly nextLine?: number }
  | ({ readonly kind: "entries" } & SessionHits)
  | { readonly kind: "unknown"; readonly entry: number; readonly newestEntry: number }
  | NoContent
  | { readonly kind: "nothing-asked" };

/** Recalls content that was stored, cleared or compacted: anything in the log, by the number of its entry. */
export async function recall(request: RecallRequest, sources: RecallSources): Promise<Recalled> {
  const { entry: number, search = "" } = request;
  const { log, maxEntries = 20 } = sources;
  if (number === undefined) {
    if (search.trim() === "") return { kind: "nothing-asked" };
    return { kind: "entries", ...(await searchSession(search, { ...sources, maxEntries })) };
  }
  const [entry] = Number.isSafeInteger(number) && number > 0 ? await log.read(number, number) : [];
  if (entry === undefined) return { kind: "unknown", entry: number, newestEntry: (await log.head()).sequence };
  const content = await contentOf(entry, sources);
  return content.kind === "content" ? readContent(content.pieces, number, request, sources) : content;
}

async function readContent(
  pieces: TextContent["pieces"],
  entry: number,
  request: RecallRequest,
  { maxCharacters = 10_000 }: RecallSources,
): Promise<Recalled> {
  const from = { line: count(request.fromLine, 1), character: count(request.fromCharacter, 1) };
  if (request.search !== undefined && request.search !== "") {
    const search = { search: request.search, fromLine: from.line, maxCharacters };
    const { found, nextLine } = await searchRange(pieces, search);
    return { kind: "lines", entry, found, ...(nextLine === undefined ? {} : { nextLine }) };
  }
  const lines = count(request.lines, Number.POSITIVE_INFINITY);
  const { text, next } = await readRange(pieces, { from, lines, maxCharacters });
  return { kind: "text", entry, text, from, ...(next === undefined ? {} : { next }) };
}

/** The model chose these numbers, so they may be invalid. */
function count(value: number | undefined, otherwise: number): number {
  return value !== undefined && value >= 1 ? Math.floor(value) : otherwise;
}
