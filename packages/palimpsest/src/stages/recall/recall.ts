import type { Entry } from "../../log/entry.ts";
import { entryText } from "../../log/entry-text.ts";
import { readPayload } from "../../log/read-payload.ts";
import type { ResultFiles } from "../../stores/results.ts";
import type { LogReader, SearchHit } from "../../stores/store.ts";
import { readRange, type TextPlace } from "./read-range.ts";
import { type FoundLine, searchRange } from "./search-range.ts";

/** What to bring back: a range of an entry, the lines of an entry that contain something, or the entries that do. */
export interface RecallRequest {
  /** Without it, all entries are searched. */
  readonly entry?: number;
  /** @default 1 */
  readonly fromLine?: number;
  /** Within that line, for one that is longer than an answer may be. @default 1 */
  readonly fromCharacter?: number;
  /** How many lines at most. @default as many as fit */
  readonly lines?: number;
  /** In an entry: text as it stands there, without regard to case. In all of them: words, or several "in quotes". */
  readonly search?: string;
}

export interface RecallSources {
  readonly log: LogReader;
  /** Without it, what was stored counts as expired. */
  readonly files?: ResultFiles;
  readonly session: string;
  /** How much text one answer may have. @default 10,000 */
  readonly maxCharacters?: number;
  /** How many entries a search over all of them names. @default 20 */
  readonly maxEntries?: number;
}

export type Recalled =
  | {
      readonly kind: "text";
      readonly entry: number;
      readonly text: string;
      readonly from: TextPlace;
      readonly next?: TextPlace;
    }
  | { readonly kind: "lines"; readonly entry: number; readonly found: readonly FoundLine[]; readonly nextLine?: number }
  | { readonly kind: "entries"; readonly hits: readonly SearchHit[] }
  | { readonly kind: "unknown"; readonly entry: number; readonly newestEntry: number }
  /** There is such an entry, and it says nothing that could be read: a request, a usage report, a later release's. */
  | { readonly kind: "no-text"; readonly entry: number; readonly entryKind: string }
  | { readonly kind: "erased"; readonly entry: number }
  /** It was stored in a file that has been collected. */
  | { readonly kind: "expired"; readonly entry: number; readonly file: string; readonly bytes: number }
  /** The file is there, and is not what was stored. */
  | {
      readonly kind: "changed";
      readonly entry: number;
      readonly file: string;
      readonly bytes: number;
      readonly nowBytes: number;
    }
  | { readonly kind: "nothing-asked" };

/** Brings back what was stored, cleared or folded: whatever is in the log, by the number of its entry. */
export async function recall(request: RecallRequest, sources: RecallSources): Promise<Recalled> {
  const { entry: number, search = "" } = request;
  const { log, maxEntries = 20 } = sources;
  if (number === undefined) {
    if (search.trim() === "") return { kind: "nothing-asked" };
    return { kind: "entries", hits: await log.search(search, { limit: maxEntries }) };
  }
  const [entry] = Number.isSafeInteger(number) && number > 0 ? await log.read(number, number) : [];
  if (entry === undefined) return { kind: "unknown", entry: number, newestEntry: (await log.head()).sequence };
  if (entry.payload === undefined) return { kind: "erased", entry: number };
  const content = await contentOf(entry, sources);
  return "kind" in content ? content : readContent(content.pieces, number, request, sources);
}

type Content = { readonly pieces: AsyncIterable<string> | Iterable<string> };

async function contentOf(entry: Entry, { files, session }: RecallSources): Promise<Content | Recalled> {
  const { sequence, kind } = entry;
  const read = readPayload(entry);
  const stored = read.kind === "message" ? read.payload.stored : undefined;
  if (stored === undefined) {
    const text = entryText(entry);
    return text === undefined ? { kind: "no-text", entry: sequence, entryKind: kind } : { pieces: [text] };
  }
  const { file, bytes } = stored;
  const found = await files?.find(session, file);
  if (found === undefined) return { kind: "expired", entry: sequence, file, bytes };
  if (found.bytes !== bytes) return { kind: "changed", entry: sequence, file, bytes, nowBytes: found.bytes };
  return { pieces: decode(found.chunks()) };
}

async function readContent(
  pieces: Content["pieces"],
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

/** Numbers come from a model. */
function count(value: number | undefined, otherwise: number): number {
  return value !== undefined && value >= 1 ? Math.floor(value) : otherwise;
}

/** What is no UTF-8 in the file is shown as U+FFFD. */
async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
