/** The look of a span. The theme chooses the actual color. */
export interface Look {
  readonly color?: Color;
  readonly weight?: "bold" | "faint";
  readonly slant?: "italic";
  readonly mark?: "inverse" | "underline" | "struck";
}

/** The meaning of a color, which the theme maps to an actual color. */
export type Color = "you" | "model" | "tool" | "good" | "warning" | "bad" | "quiet" | "code" | "keyword" | "string";

/** A part of a line with one look. */
export interface Span extends Look {
  readonly text: string;
}

/** One line of the screen, or a line before wrapping. */
export type Line = readonly Span[];

/** Creates a line with one span. */
export function plain(text: string, look: Look = {}): Line {
  return text === "" ? [] : [{ text, ...look }];
}

/** Splits a text into lines with one look. */
export function plainLines(text: string, look: Look = {}): readonly Line[] {
  return text.split("\n").map((line) => plain(line, look));
}

/** Adds a prefix to each line: `first` to the first line, and `others`, which has the same width, to the rest. */
export function indent(lines: readonly Line[], first: Line, others: Line = first): readonly Line[] {
  return lines.map((line, index) => [...(index === 0 ? first : others), ...line]);
}

/** The text of a line without its look. */
export function textOf(line: Line): string {
  return line.map(({ text }) => text).join("");
}
