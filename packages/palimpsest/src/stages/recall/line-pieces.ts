import type { TextPlace } from "./read-range.ts";

/** A line, or a piece of a long line, without its line end. */
export interface LinePiece extends TextPlace {
  readonly text: string;
}

/** Long lines are split into pieces of this size, so that a line without an end needs no more memory than others. */
const PIECE_CHARACTERS = 8_192;

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
  let held = "";
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const end = part.indexOf("\n", at);
      const taken = part.slice(at, Math.min(end < 0 ? part.length : end, at + maxCharacters - held.length));
      at += taken.length;
      held += taken;
      if (at === end) {
        yield { line, character, text: held };
        line++;
        character = 1;
        held = "";
        at++;
      } else if (held.length >= maxCharacters) {
        yield { line, character, text: held };
        character += PIECE_CHARACTERS;
        held = held.slice(PIECE_CHARACTERS);
      }
    }
  }
  if (held !== "") yield { line, character, text: held };
}
