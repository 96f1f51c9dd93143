import { headOf } from "../../text.ts";

/** A place in a text: both numbers count from 1, characters within their line. */
export interface TextPlace {
  readonly line: number;
  readonly character: number;
}

export interface TextRange {
  readonly from: TextPlace;
  /** How many lines at most. */
  readonly lines: number;
  readonly maxCharacters: number;
}

export interface RangeText {
  readonly text: string;
  /** Where the text continues; undefined at its end. */
  readonly next: TextPlace | undefined;
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
        // At least one character, so that the reader makes progress.
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
