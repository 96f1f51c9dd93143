import stringWidth from "string-width";
import type { Line, Span } from "./line.ts";

/**
 * One unit and one column each: the letters of Latin, Greek, Cyrillic, Armenian and Georgian, without marks that combine, and
 * what our own frames are made of. These are counted by length; the others cost a look at every character.
 */
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u058f\u10a0-\u10ff─│┌└▌●◌■✓✗❯▸☐☑•·…→↑↓]*$/;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** How many columns a text takes: letters of East Asian scripts and emoji take two. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** What a reader sees as one character, in order. */
export function charactersOf(text: string): readonly string[] {
  return PLAIN.test(text) ? text.split("") : [...graphemes.segment(text)].map(({ segment }) => segment);
}

/** Breaks a line into rows of at most so many columns: between words where that is possible, and never inside a character. */
export function wrapLine(line: Line, columns: number): readonly Line[] {
  if (lineWidth(line) <= columns) return [line];
  const rows: Span[][] = [];
  let row: Span[] = [];
  let used = 0;
  const end = (): void => {
    rows.push(row);
    row = [];
    used = 0;
  };
  for (const { text, ...look } of line) {
    for (const word of text.match(/\s+|[^\s]+/g) ?? []) {
      const width = widthOf(word);
      if (used + width <= columns) {
        add(row, word, look);
        used += width;
        continue;
      }
      // A space at which a line is broken is not seen.
      if (/^\s/.test(word)) {
        if (used > 0) end();
        continue;
      }
      if (used > 0 && width <= columns) end();
      for (const character of width <= columns ? [word] : charactersOf(word)) {
        const taken = widthOf(character);
        if (used + taken > columns && used > 0) end();
        add(row, character, look);
        used += taken;
      }
    }
  }
  if (row.length > 0 || rows.length === 0) end();
  return rows;
}

export function wrapLines(lines: readonly Line[], columns: number): readonly Line[] {
  return lines.flatMap((line) => wrapLine(line, columns));
}

/** The beginning of a line, with an ellipsis if something is missing. */
export function cutLine(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  const kept: Span[] = [];
  let used = 0;
  for (const { text, ...look } of line) {
    for (const character of charactersOf(text)) {
      const width = widthOf(character);
      if (used + width > columns - 1) {
        add(kept, "…", look);
        return kept;
      }
      add(kept, character, look);
      used += width;
    }
  }
  return kept;
}

export function cutText(text: string, columns: number): string {
  return cutLine([{ text }], columns)
    .map(({ text: piece }) => piece)
    .join("");
}

/** Filled up with spaces. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** Behind the last piece, as part of it if it looks the same. */
function add(row: Span[], text: string, look: Omit<Span, "text">): void {
  const last = row.at(-1);
  if (last === undefined || !looksLike(last, look)) row.push({ text, ...look });
  else row[row.length - 1] = { ...last, text: last.text + text };
}

function looksLike(one: Omit<Span, "text">, other: Omit<Span, "text">): boolean {
  return (
    one.color === other.color && one.weight === other.weight && one.slant === other.slant && one.mark === other.mark
  );
}
