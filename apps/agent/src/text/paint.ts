import { harmless } from "./harmless.ts";
import type { Color, Line, Span } from "./line.ts";

/** `none`: NO_COLOR, or a terminal without any. What is bold, faint or inverse stays so: that is no color. */
export type Theme = "dark" | "light" | "none";

/** The sixteen colors that every terminal has: its owner has chosen what they look like. */
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

/** A line as the terminal takes it. The last place before the screen: nothing gets past it that could command a terminal. */
export function paint(line: Line, theme: Theme): string {
  return line.map((span) => paintSpan(span, theme)).join("");
}

function paintSpan({ text, color, weight, slant, mark }: Span, theme: Theme): string {
  const codes = [
    ...(weight === "bold" ? [1] : weight === "faint" ? [2] : []),
    ...(slant === "italic" ? [3] : []),
    ...(mark === "underline" ? [4] : mark === "inverse" ? [7] : []),
    ...(color === undefined || theme === "none" ? [] : [COLORS[theme][color]]),
  ];
  const shown = harmless(text);
  return codes.length === 0 ? shown : `\u001b[${codes.join(";")}m${shown}\u001b[0m`;
}

/** What the environment says of colors. */
export function themeOf(environment: Readonly<Record<string, string | undefined>>): Theme {
  const { NO_COLOR, TERM, COLORFGBG } = environment;
  if (NO_COLOR || TERM === "dumb") return "none";
  // Some terminals say what stands behind their letters: 7 and 15 are light.
  return /;(7|15)$/.test(COLORFGBG ?? "") ? "light" : "dark";
}
