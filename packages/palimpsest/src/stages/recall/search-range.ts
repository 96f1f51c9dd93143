import { headOf, tailOf } from "../../text.ts";
import { type LinePiece, linePieces } from "./line-pieces.ts";

export interface SearchRange {
  /** Literal text, ignoring case. */
  readonly search: string;
  readonly fromLine: number;
  readonly maxCharacters: number;
}

/** The place of a match with its line, or the text around the match if the line is long. */
export type FoundLine = LinePiece;

export interface FoundLines {
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
