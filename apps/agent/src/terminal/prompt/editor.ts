import { charactersOf } from "../../text/width.ts";

/** The text that the user types. Cursor positions count grapheme clusters, so that no visible character is cut in two. */
export interface Editor {
  readonly characters: readonly string[];
  readonly cursor: number;
}

export const EMPTY_EDITOR: Editor = { characters: [], cursor: 0 };

export function editorOf(text: string): Editor {
  const characters = charactersOf(text);
  return { characters, cursor: characters.length };
}

export function editorText({ characters }: Editor): string {
  return characters.join("");
}

export function insert({ characters, cursor }: Editor, text: string): Editor {
  const before = [...characters.slice(0, cursor)].join("") + text;
  // Joined first: the typed text may combine with the character before it.
  const front = charactersOf(before);
  return { characters: [...front, ...characters.slice(cursor)], cursor: front.length };
}

export type Motion =
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  /** To the white space before: a path is one word. */
  | "gap-left"
  | "line-start"
  | "line-end"
  | "line-up"
  | "line-down"
  | "start"
  | "end";

export function move(editor: Editor, motion: Motion): Editor {
  return { ...editor, cursor: target(editor, motion) };
}

/** Deletes the text between the cursor and the target of a motion. */
export function erase(editor: Editor, motion: Motion): Editor {
  const [from, to] = [editor.cursor, target(editor, motion)].toSorted((one, other) => one - other) as [number, number];
  return { characters: editor.characters.toSpliced(from, to - from), cursor: from };
}

/** Whether a line exists above or below the cursor's line. */
export function hasLine({ characters, cursor }: Editor, where: "above" | "below"): boolean {
  return where === "above"
    ? characters.lastIndexOf("\n", cursor - 1) >= 0 && cursor > 0
    : characters.includes("\n", cursor);
}

function target(editor: Editor, motion: Motion): number {
  const { characters, cursor } = editor;
  const last = characters.length;
  switch (motion) {
    case "left":
      return Math.max(0, cursor - 1);
    case "right":
      return Math.min(last, cursor + 1);
    case "start":
      return 0;
    case "end":
      return last;
    case "word-left":
      return leftOver(characters, cursor, isLetter);
    case "gap-left":
      return leftOver(characters, cursor, (character) => !/^\s/.test(character));
    case "word-right": {
      let at = cursor;
      while (at < last && !isLetter(characters[at]!)) at++;
      while (at < last && isLetter(characters[at]!)) at++;
      return at;
    }
    case "line-start":
      return lineStart(characters, cursor);
    case "line-end":
      return lineEnd(characters, cursor);
    case "line-up": {
      const start = lineStart(characters, cursor);
      if (start === 0) return 0;
      return Math.min(lineStart(characters, start - 1) + (cursor - start), start - 1);
    }
    case "line-down": {
      const end = lineEnd(characters, cursor);
      if (end === last) return last;
      return Math.min(end + 1 + (cursor - lineStart(characters, cursor)), lineEnd(characters, end + 1));
    }
  }
}

/** The start of the word before the cursor. */
function leftOver(characters: readonly string[], cursor: number, isPart: (character: string) => boolean): number {
  let at = cursor;
  while (at > 0 && !isPart(characters[at - 1]!)) at--;
  while (at > 0 && isPart(characters[at - 1]!)) at--;
  return at;
}

function isLetter(character: string): boolean {
  return /^[\p{L}\p{N}]/u.test(character);
}

function lineStart(characters: readonly string[], at: number): number {
  return at === 0 ? 0 : characters.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(characters: readonly string[], at: number): number {
  const found = characters.indexOf("\n", at);
  return found < 0 ? characters.length : found;
}
