import { lazyPattern } from "../../../log/lazy-pattern.ts";

/** A longer line is data or prose: it would take the room of several others. */
const MAX_CHARACTERS = 240;
/** A line with less beside the name says no more than the name. */
const LEAST_MORE_CHARACTERS = 4;
/** A name that occurs in more places is searched in the last of them only. */
const MAX_OCCURRENCES = 20;
/** Some tools number the lines of a file. */
const LINE_NUMBER = /^\s*\d{1,7}[\t\u2192]/;
const nameCharacter = lazyPattern(String.raw`[\p{L}\p{N}_$]`, "u");

/** Returns the last line of a text that shows a name, without its number and indentation; undefined if none is worth quoting. */
export function findLine(text: string, name: string): string | undefined {
  let at = text.lastIndexOf(name);
  for (let seen = 0; at >= 0 && seen < MAX_OCCURRENCES; seen++) {
    const line = isWhole(text, at, name) ? lineAt(text, at) : undefined;
    if (line !== undefined && line.length >= name.length + LEAST_MORE_CHARACTERS) return line;
    at = at === 0 ? -1 : text.lastIndexOf(name, at - 1);
  }
  return undefined;
}

/** Not a part of a longer name. */
function isWhole(text: string, at: number, name: string): boolean {
  return !nameCharacter().test(text[at - 1] ?? "") && !nameCharacter().test(text[at + name.length] ?? "");
}

function lineAt(text: string, at: number): string | undefined {
  const end = text.indexOf("\n", at);
  const line = text
    .slice(text.lastIndexOf("\n", at) + 1, end < 0 ? undefined : end)
    .replace(LINE_NUMBER, "")
    .trim();
  return line.length > MAX_CHARACTERS ? undefined : line;
}
