/** The look of a span. Colors are named by their meaning; the theme chooses the actual color. */
export interface Look {
  readonly color?: Color;
  readonly weight?: "bold" | "faint";
  readonly slant?: "italic";
  readonly mark?: "inverse" | "underline" | "struck";
}

/** What a color stands for. The style of the screen chooses the color. */
export type Color = "you" | "model" | "tool" | "good" | "warning" | "bad" | "quiet" | "code" | "keyword" | "string";

/** A part of a line with one look. */
export interface Span extends Look {
  readonly text: string;
}

/** One line of the screen, or a line before wrapping. */
export type Line = readonly Span[];

/** A line with one span. */
export function plain(text: string, look: Look = {}): Line {
  return text === "" ? [] : [{ text, ...look }];
}

/** Splits a text into lines. */
export function plainLines(text: string, look: Look = {}): readonly Line[] {
  return text.split("\n").map((line) => plain(line, look));
}

/** Puts a prefix before each line: one for the first line, another of the same width for the rest. */
export function indent(lines: readonly Line[], first: Line, others: Line = first): readonly Line[] {
  return lines.map((line, index) => [...(index === 0 ? first : others), ...line]);
}

/** The text of a line, without its colors. */
export function textOf(line: Line): string {
  return line.map(({ text }) => text).join("");
}
