// Reads the content of an entry: from the log or from a file, as a range or line by line.

import { type Entry, readPayload } from "../log/entry.ts";
import { entryText } from "../log/search-text.ts";
import type { ResultFiles } from "../stores/store.ts";
import { headOf } from "../text.ts";

/** Returns the text of an entry, from the log or from its file. */
export async function contentOf(entry: Entry, { files, session }: ContentSources): Promise<TextContent | NoContent> {
  const { sequence, kind, payload } = entry;
  if (payload === undefined) return { kind: "erased", entry: sequence };
  const read = readPayload(entry);
  const stored = read.kind === "message" ? read.payload.stored : undefined;
  if (stored === undefined) {
    const text = entryText(entry);
    if (text === undefined) return { kind: "no-text", entry: sequence, entryKind: kind };
    return { kind: "content", pieces: [text] };
  }
  const { file, bytes } = stored;
  const found = await files?.find(session, file);
  if (found === undefined) return { kind: "expired", entry: sequence, file, bytes };
  if (found.bytes !== bytes) return { kind: "changed", entry: sequence, file, bytes, nowBytes: found.bytes };
  return { kind: "content", pieces: decode(found.chunks()) };
}

/** The full text of an entry. */
export interface TextContent {
  readonly kind: "content";
  readonly pieces: AsyncIterable<string> | Iterable<string>;
}

/** Why there is no text. */
export type NoContent =
  | { readonly kind: "erased"; readonly entry: number }
  /** The entry has no readable content: a request, a usage report, an entry of a later release. */
  | { readonly kind: "no-text"; readonly entry: number; readonly entryKind: string }
  /** The file of the entry was collected. */
  | { readonly kind: "expired"; readonly entry: number; readonly file: string; readonly bytes: number }
  /** The file exists, but its size differs from the stored content. */
  | {
      readonly kind: "changed";
      readonly entry: number;
      readonly file: string;
      readonly bytes: number;
      readonly nowBytes: number;
    };

/** The files of a session. */
export interface ContentSources {
  readonly files?: ResultFiles;
  readonly session: string;
}

/** Decodes a file. Invalid UTF-8 becomes U+FFFD. */
async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Reads a range of a text that arrives in pieces, and no further. Consecutive ranges give the exact text. */
export async function readRange(
  pieces: AsyncIterable<string> | Iterable<string>,
  { from, lines, maxCharacters }: TextRange,
): Promise<RangeText> {
  let line = 1;
  let character = 1;
  let text = "";
  let readLines = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      // There is more text, but enough was read.
      if (readLines === lines) return { text, next: { line, character } };
      const lineEnd = piece.indexOf("\n", at) + 1 || piece.length;
      const skipped = line < from.line ? lineEnd - at : line === from.line ? from.character - character : 0;
      const start = Math.min(lineEnd, at + Math.max(0, skipped));
      const shown = start < lineEnd ? piece.slice(start, lineEnd) : "";
      const room = Math.max(0, maxCharacters - text.length);
      if (shown.length > room) {
        // Return at least one character, so that the reader makes progress.
        const cut = headOf(shown, room) || (text === "" ? headOf(shown, 2) : "");
        return { text: text + cut, next: { line, character: character + (start - at) + cut.length } };
      }
      text += shown;
      const isEnd = piece[lineEnd - 1] === "\n";
      if (isEnd && text !== "") readLines++;
      character = isEnd ? 1 : character + (lineEnd - at);
      line += isEnd ? 1 : 0;
      at = lineEnd;
    }
  }
  return { text, next: undefined };
}

/** A place in a text: a line, and a character within the line. Both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly character: number;
}

interface TextRange {
  readonly from: TextPlace;
  /** The maximum number of lines. */
  readonly lines: number;
  readonly maxCharacters: number;
}

interface RangeText {
  readonly text: string;
  /** Where the text continues; undefined at its end. */
  readonly next: TextPlace | undefined;
}

/**
 * Splits a text that arrives in parts into lines. Pieces of a long line overlap, so that no match is missed at a cut.
 */
export async function* linePieces(
  parts: AsyncIterable<string> | Iterable<string>,
  overlapCharacters: number,
): AsyncGenerator<LinePiece> {
  const maxCharacters = PIECE_CHARACTERS + overlapCharacters;
  let line = 1;
  let character = 1;
  let pending = "";
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const end = part.indexOf("\n", at);
      const piece = part.slice(at, Math.min(end < 0 ? part.length : end, at + maxCharacters - pending.length));
      at += piece.length;
      pending += piece;
      if (at === end) {
        yield { line, character, text: pending };
        line++;
        character = 1;
        pending = "";
        at++;
      } else if (pending.length >= maxCharacters) {
        yield { line, character, text: pending };
        character += PIECE_CHARACTERS;
        pending = pending.slice(PIECE_CHARACTERS);
      }
    }
  }
  if (pending !== "") yield { line, character, text: pending };
}

/** A line, or a piece of a long line, without its line end. */
export interface LinePiece extends TextPlace {
  readonly text: string;
}

/** The size of the pieces of a long line, so that an endless line needs limited memory. */
const PIECE_CHARACTERS = 8_192;
