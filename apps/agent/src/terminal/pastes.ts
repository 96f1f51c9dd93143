import { imageTypeOf } from "../extensions/files/image.ts";

/** Larger pastes appear in the prompt as a placeholder. */
const LARGE = { lines: 6, characters: 600 };

export function isLargePaste(text: string): boolean {
  return text.length > LARGE.characters || text.split("\n").length > LARGE.lines;
}

/** The placeholder of a large paste. */
export function pasteWord(index: number, text: string): string {
  return `[paste ${index + 1}: ${text.split("\n").length} lines]`;
}

/** Replaces placeholders by their pastes, for sending. */
export function withPastes(text: string, pastes: readonly string[]): string {
  return pastes.reduce((said, pasted, index) => said.replace(pasteWord(index, pasted), () => pasted), text);
}

/** Reads the path of a dropped file, which terminals paste with escapes or quotes. @returns the file as `@name` */
export function asNamedImage(pasted: string): string | undefined {
  const path = pasted
    .trim()
    .replace(/^(['"])(.*)\1$/, "$2")
    .replaceAll(/\\(.)/g, "$1");
  const isOne = /^(?:\/|~\/)[^\n"]+$/.test(path) && imageTypeOf(path) !== undefined;
  if (!isOne) return undefined;
  return path.includes(" ") ? `@"${path}"` : `@${path}`;
}
