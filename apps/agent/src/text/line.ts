/** How a piece of a line looks. Colors by what they mean: the theme knows which they are. */
export interface Look {
  readonly color?: Color;
  readonly weight?: "bold" | "faint";
  readonly slant?: "italic";
  readonly mark?: "inverse" | "underline";
}

export type Color = "you" | "model" | "tool" | "good" | "warning" | "bad" | "quiet" | "code" | "keyword" | "string";

/** A piece of a line that looks the same from end to end. */
export interface Span extends Look {
  readonly text: string;
}

/** One line of the screen, or one that is to be wrapped. */
export type Line = readonly Span[];

/** A line of one piece. */
export function plain(text: string, look: Look = {}): Line {
  return text === "" ? [] : [{ text, ...look }];
}

/** Text of several lines. */
export function plainLines(text: string, look: Look = {}): readonly Line[] {
  return text.split("\n").map((line) => plain(line, look));
}

/** The same lines, each behind something: the first behind one thing, the others behind another of the same width. */
export function indent(lines: readonly Line[], first: Line, others: Line = first): readonly Line[] {
  return lines.map((line, index) => [...(index === 0 ? first : others), ...line]);
}

export function textOf(line: Line): string {
  return line.map(({ text }) => text).join("");
}
