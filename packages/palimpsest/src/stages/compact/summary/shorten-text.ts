import { beginAtLine, endAtLine, headOf, tailOf } from "../../store-results/cut-text.ts";

/** The end gets more: that something failed stands there, and why. */
const HEAD_SHARE = 0.4;

/** Head and tail of a text that is longer than a bound, with a word about what is left out between them. */
export function shortenText(text: string, maxCharacters: number, leftOut: (characters: number) => string): string {
  if (text.length <= maxCharacters) return text;
  const head = endAtLine(headOf(text, Math.floor(maxCharacters * HEAD_SHARE)));
  const tail = beginAtLine(tailOf(text, maxCharacters - head.length));
  const left = text.length - head.length - tail.length;
  return [head.replace(/\n$/, ""), leftOut(left), tail].filter((part) => part !== "").join("\n");
}
