import { sanitize } from "palimpsest/sanitize";
import type { Color, Line, Look, Span } from "./line.ts";

/** The color theme. `none`: NO_COLOR is set, or the terminal has no colors. Bold, faint and inverse text is kept. */
export type Theme = "dark" | "light" | "none";

/** The sixteen standard colors, which the terminal's own theme defines. */
const COLORS: Readonly<Record<Exclude<Theme, "none">, Readonly<Record<Color, number>>>> = {
  dark: {
    you: 96,
    model: 97,
    tool: 94,
    good: 92,
    warning: 93,
    bad: 91,
    quiet: 90,
    code: 96,
    keyword: 95,
    string: 92,
  },
  light: {
    you: 36,
    model: 30,
    tool: 34,
    good: 32,
    warning: 33,
    bad: 31,
    quiet: 90,
    code: 36,
    keyword: 35,
    string: 32,
  },
};

const MARKS: Readonly<Record<NonNullable<Look["mark"]>, number>> = { underline: 4, inverse: 7, struck: 9 };

/**
 * Converts a line to terminal output. This is the last step before the screen, so it removes all other escape
 * sequences.
 */
export function paint(line: Line, theme: Theme): string {
  return line.map((span) => paintSpan(span, theme)).join("");
}

function paintSpan({ text, color, weight, slant, mark }: Span, theme: Theme): string {
  const codes = [
    ...(weight === "bold" ? [1] : weight === "faint" ? [2] : []),
    ...(slant === "italic" ? [3] : []),
    ...(mark === undefined ? [] : [MARKS[mark]]),
    ...(color === undefined || theme === "none" ? [] : [COLORS[theme][color]]),
  ];
  const shown = sanitize(text);
  return codes.length === 0 ? shown : `\u001b[${codes.join(";")}m${shown}\u001b[0m`;
}

/** Chooses the theme from environment variables. */
export function themeOf(environment: Readonly<Record<string, string | undefined>>): Theme {
  const { NO_COLOR, TERM, COLORFGBG } = environment;
  if (NO_COLOR || TERM === "dumb") return "none";
  // Some terminals describe their colors in COLORFGBG: a background of 7 or 15 is light.
  return /;(7|15)$/.test(COLORFGBG ?? "") ? "light" : "dark";
}
