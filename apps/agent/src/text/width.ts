// Measures, wraps, cuts and pads text by its width on the screen.
import stringWidth from "string-width";
import type { Line, Span } from "./line.ts";

/**
 * Text whose width is its length: Latin, Greek, Cyrillic, Armenian and Georgian letters without combining marks, and
 * our frame characters. Other texts are measured character by character.
 */
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u058f\u10a0-\u10ff─│┌└┼▌●◌■✓✗❯▸☐☑•◦▪·…→↑↓]*$/;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The width of a text in columns. East Asian characters and emoji take two columns. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Splits a text into grapheme clusters. */
export function charactersOf(text: string): readonly string[] {
  return PLAIN.test(text) ? text.split("") : [...graphemes.segment(text)].map(({ segment }) => segment);
}

/** Wraps a line into rows of limited width: between words if possible, and never inside a character. */
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
      // The space at a line break is dropped.
      if (/^\s/.test(word)) {
        if (used > 0) end();
        continue;
      }
      if (used > 0 && width <= columns) end();
      for (const character of width <= columns ? [word] : charactersOf(word)) {
        const characterWidth = widthOf(character);
        if (used + characterWidth > columns && used > 0) end();
        add(row, character, look);
        used += characterWidth;
      }
    }
  }
  if (row.length > 0 || rows.length === 0) end();
  return rows;
}

/** Breaks a line into rows of limited width, between any two characters. Unlike `wrapLine`, it keeps every space. */
export function breakLine(line: Line, columns: number): readonly Line[] {
  if (lineWidth(line) <= columns) return [line];
  const rows: Span[][] = [[]];
  let used = 0;
  for (const { text, ...look } of line) {
    for (const character of charactersOf(text)) {
      const width = widthOf(character);
      if (used + width > columns && used > 0) {
        rows.push([]);
        used = 0;
      }
      add(rows.at(-1)!, character, look);
      used += width;
    }
  }
  return rows;
}

export function wrapLines(lines: readonly Line[], columns: number): readonly Line[] {
  return lines.flatMap((line) => wrapLine(line, columns));
}

/** Cuts a line to a width, and marks the cut with an ellipsis. */
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

/** Pads a text with spaces. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** Appends text to the last span if both have the same look. */
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
