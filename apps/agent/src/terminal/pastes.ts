import { imageTypeOf } from "../extensions/files/image.ts";

/** Pastes of more than this stand in the prompt as one word. */
const LARGE = { lines: 6, characters: 600 };

export function isLargePaste(text: string): boolean {
  return text.length > LARGE.characters || text.split("\n").length > LARGE.lines;
}

/** What stands in the prompt for a large paste. */
export function pasteWord(index: number, text: string): string {
  return `[paste ${index + 1}: ${text.split("\n").length} lines]`;
}

/** What is sent: with the pastes in their places. */
export function withPastes(text: string, pastes: readonly string[]): string {
  return pastes.reduce((said, pasted, index) => said.replace(pasteWord(index, pasted), () => pasted), text);
}

/** A terminal pastes the path of a file that is dropped on it, with escapes or in quotes. @returns how the prompt names it */
export function asNamedImage(pasted: string): string | undefined {
  const path = pasted
    .trim()
    .replace(/^(['"])(.*)\1$/, "$2")
    .replaceAll(/\\(.)/g, "$1");
  const isOne = /^(?:\/|~\/)[^\n"]+$/.test(path) && imageTypeOf(path) !== undefined;
  if (!isOne) return undefined;
  return path.includes(" ") ? `@"${path}"` : `@${path}`;
}
