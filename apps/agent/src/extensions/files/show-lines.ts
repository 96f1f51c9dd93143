/** The requested part of a text. Lines and characters count from 1. */
interface WantedLines {
  readonly offset: number;
  readonly limit: number;
  /** The first character to show of the line `offset`, which is then the only line. @default whole lines */
  readonly character?: number | undefined;
}

export interface ShownLines {
  readonly text: string;
  /** The last line that is shown, at least in part. */
  readonly lastLine: number;
}

/** The line length at which lines are cut, because longer lines are mostly data. */
export const LINE_CHARACTERS = 2_000;
/** The limit of one result, about 25,000 tokens. It is low enough that no result has to be stored in a file. */
export const MAX_CHARACTERS = 100_000;

/** Shows as many numbered lines as fit, with a hint how to continue. Undefined if the range starts after the end. */
export function showLines(lines: readonly string[], wanted: WantedLines): ShownLines | undefined {
  const { offset, limit, character } = wanted;
  if (offset > lines.length) return undefined;
  if (character !== undefined) return showPiece(lines, offset, character);
  const shown: string[] = [];
  let characters = 0;
  for (const [position, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const number = offset + position;
    const text = numbered(number, cutLine(withoutReturn(line), number));
    if (characters + text.length > MAX_CHARACTERS) break;
    characters += text.length + 1;
    shown.push(text);
  }
  const next = offset + shown.length;
  const more = next <= lines.length ? [`[${lines.length} lines in all. Read on with offset ${next}.]`] : [];
  return { text: [...shown, ...more].join("\n").toWellFormed(), lastLine: next - 1 };
}

function showPiece(lines: readonly string[], offset: number, character: number): ShownLines | undefined {
  const line = withoutReturn(lines[offset - 1]!);
  if (character > Math.max(1, line.length)) return undefined;
  const piece = headOf(line.slice(character - 1), MAX_CHARACTERS);
  const next = character + piece.length;
  const place = `Line ${offset} of ${lines.length}, characters ${character} to ${next - 1} of ${line.length}.`;
  const continueTurn =
    next <= line.length
      ? ` Read on with offset ${offset} and character ${next}.`
      : offset < lines.length
        ? ` Read on with offset ${offset + 1}.`
        : "";
  return { text: `${numbered(offset, piece)}\n[${place}${continueTurn}]`.toWellFormed(), lastLine: offset };
}

function cutLine(line: string, number: number): string {
  if (line.length <= LINE_CHARACTERS) return line;
  const shown = headOf(line, LINE_CHARACTERS);
  const place = `offset ${number} and character ${shown.length + 1}`;
  return `${shown} [${line.length - shown.length} more characters. Read on with ${place}.]`;
}

function numbered(number: number, line: string): string {
  return `${String(number).padStart(6)}\t${line}`;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Cuts without splitting a surrogate pair, whose second half would start the next result. */
function headOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const last = text.charCodeAt(maxCharacters - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxCharacters - 1 : maxCharacters);
}
