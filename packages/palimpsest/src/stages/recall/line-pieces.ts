import type { TextPlace } from "./read-range.ts";

/** A line, or a piece of one that is long. Without its end. */
export interface LinePiece extends TextPlace {
  readonly text: string;
}

/** A line is looked at in pieces of this size, so that one without an end takes no more memory than others. */
const PIECE_CHARACTERS = 8_192;

/** The lines of a text that arrives in parts; pieces of a long one overlap, so that nothing is missed where it was cut. */
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
