import { headOf } from "../../../text.ts";

/** Longer than any tag of the frame; each tag is on a line of its own. */
const NEAR_CHARACTERS = 200;

/** Returns a well-formed part of a round: a cut entry is closed, and continues under its own label. */
export function clipTranscript(text: string, from: number, to: number): string {
  const [openBefore, openBehind] = [openEntryAt(text, from), openEntryAt(text, to)];
  const begin =
    openBefore === undefined ? "" : `${openBefore.replace(/, continued>$/, ">").slice(0, -1)}, continued>\n`;
  const part = text.slice(from, to);
  const end = openBehind === undefined ? "" : part.endsWith("\n") ? "</entry>" : "\n</entry>";
  return `${begin}${part}${end}`;
}

/** Returns where to cut a text, at or before a place: at the beginning of a line if one is near, so never in a tag. */
export function cutPlace(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const place = headOf(text, Math.max(0, at)).length;
  const line = text.lastIndexOf("\n", place - 1) + 1;
  return place > 0 && place - line < NEAR_CHARACTERS ? line : place;
}

/** Returns the tag of the entry around a place. The tag is reliable: content cannot imitate it. */
function openEntryAt(text: string, at: number): string | undefined {
  if (at <= 0) return undefined;
  const start = text.lastIndexOf("<entry ", at - 1);
  if (start < 0 || text.lastIndexOf("</entry>", at - 1) > start) return undefined;
  return text.slice(start, text.indexOf("\n", start));
}
