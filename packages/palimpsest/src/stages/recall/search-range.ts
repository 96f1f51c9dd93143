import { headOf, tailOf } from "../store-results/cut-text.ts";
import { type LinePiece, linePieces } from "./line-pieces.ts";

export interface SearchRange {
  /** Looked for as it is, without regard to case. */
  readonly search: string;
  readonly fromLine: number;
  readonly maxCharacters: number;
}

/** Where it was found, and the line, or what stands around the place if the line is long. */
export type FoundLine = LinePiece;

export interface FoundLines {
  readonly found: readonly FoundLine[];
  /** The line to go on from; undefined if all was looked at. */
  readonly nextLine: number | undefined;
}

const CONTEXT_CHARACTERS = 120;

/** The lines of a text that contain something. Of a very long line, each piece that does. */
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
