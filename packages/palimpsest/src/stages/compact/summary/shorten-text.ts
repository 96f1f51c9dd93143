import { beginAtLine, endAtLine, headOf, tailOf } from "../../../text.ts";

/** The end gets more room: errors and their causes are there. */
const HEAD_SHARE = 0.4;

/** Returns head and tail of a text that exceeds a limit, with a note about the part left out between them. */
export function shortenText(text: string, maxCharacters: number, leftOut: (characters: number) => string): string {
  if (text.length <= maxCharacters) return text;
  const head = endAtLine(headOf(text, Math.floor(maxCharacters * HEAD_SHARE)));
  const tail = beginAtLine(tailOf(text, maxCharacters - head.length));
  const left = text.length - head.length - tail.length;
  return [head.replace(/\n$/, ""), leftOut(left), tail].filter((part) => part !== "").join("\n");
}
