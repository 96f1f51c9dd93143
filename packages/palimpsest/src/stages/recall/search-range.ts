import { headOf, tailOf } from "../store-results/cut-text.ts";
import type { TextPlace } from "./read-range.ts";

export interface SearchRange {
  /** Looked for as it is, without regard to case. */
  readonly search: string;
  readonly fromLine: number;
  readonly maxCharacters: number;
}

export interface FoundLine extends TextPlace {
  /** The line, or what stands around the place if the line is long. */
  readonly text: string;
}

export interface FoundLines {
  readonly found: readonly FoundLine[];
  /** The line to go on from; undefined if all was looked at. */
  readonly nextLine: number | undefined;
}

/** A line is looked at in pieces of this size, so that one without an end takes no more memory than others. */
const PIECE_CHARACTERS = 8_192;
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

/** Lines, without their ends; long ones in pieces that overlap, so that nothing is missed where they were cut. */
async function* linePieces(pieces: AsyncIterable<string> | Iterable<string>, overlap: number) {
  let line = 1;
  let character = 1;
  let held = "";
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const end = piece.indexOf("\n", at);
      const room = PIECE_CHARACTERS + overlap - held.length;
      const taken = piece.slice(at, Math.min(end < 0 ? piece.length : end, at + room));
      at += taken.length;
      held += taken;
      if (at === end) {
        yield { line, character, text: held };
        line++;
        character = 1;
        held = "";
        at++;
      } else if (held.length >= PIECE_CHARACTERS + overlap) {
        yield { line, character, text: held };
        character += PIECE_CHARACTERS;
        held = held.slice(PIECE_CHARACTERS);
      }
    }
  }
  if (held !== "") yield { line, character, text: held };
}

function around(text: string, at: number, length: number): string {
  if (text.length <= 2 * CONTEXT_CHARACTERS + length) return text;
  const before = tailOf(text.slice(0, at), CONTEXT_CHARACTERS);
  const after = headOf(text.slice(at), length + CONTEXT_CHARACTERS);
  return `${before.length < at ? "..." : ""}${before}${after}${at + after.length < text.length ? "..." : ""}`;
}
