import type { Key as InkKey } from "ink";
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

/** What the editing keys remember beside the text. */
export interface Edits {
  /** Earlier texts, the newest last. */
  readonly past: readonly Editor[];
  /** What was cut last: ctrl-y puts it back. */
  readonly killed: string;
  /** `typed`: letters of one word are one step of undo. */
  readonly last: "typed" | "other";
}

export interface Edited {
  readonly editor: Editor;
  readonly edits: Edits;
}

export const NO_EDITS: Edits = { past: [], killed: "", last: "other" };
const MOST_PAST = 200;

/** Applies a key as readline does. Undefined: the key edits nothing. */
export function editKey(editor: Editor, edits: Edits, key: Key): Edited | undefined {
  const motion = motionOf(key);
  if (motion !== undefined) return { editor: move(editor, motion), edits: { ...edits, last: "other" } };
  const killing = killOf(key);
  if (killing !== undefined) return kill(editor, edits, killing);
  const erasing = eraseOf(key);
  if (erasing !== undefined) return changed(editor, edits, erase(editor, erasing));
  if (key.held === "ctrl" && key.name === "text") {
    if (key.text === "_" || key.text === "/") return undo(editor, edits);
    if (key.text === "y") return changed(editor, edits, insert(editor, edits.killed));
    if (key.text === "t") return changed(editor, edits, transpose(editor));
    return key.text === "j" ? changed(editor, edits, insert(editor, "\n")) : undefined;
  }
  if (key.name === "return" && key.held !== "nothing") return changed(editor, edits, insert(editor, "\n"));
  if (key.name !== "text" || key.held === "ctrl") return undefined;
  if (key.held === "meta") return /^[\r\n]$/.test(key.text) ? changed(editor, edits, insert(editor, "\n")) : undefined;
  return typed(editor, edits, key.text);
}

/** Puts a text at the cursor, as a step that can be undone. */
export function insertText(editor: Editor, edits: Edits, text: string): Edited {
  return changed(editor, edits, insert(editor, text));
}

/** Another text in the prompt, as a step that can be undone. */
export function changed(before: Editor, edits: Edits, editor: Editor): Edited {
  if (editorText(before) === editorText(editor)) return { editor, edits: { ...edits, last: "other" } };
  return { editor, edits: { ...edits, past: [...edits.past.slice(1 - MOST_PAST), before], last: "other" } };
}

function typed(before: Editor, edits: Edits, text: string): Edited {
  const editor = insert(before, text);
  const continues = edits.last === "typed" && !/^\s/.test(text);
  const past = continues ? edits.past : changed(before, edits, editor).edits.past;
  return { editor, edits: { ...edits, past, last: "typed" } };
}

function kill(before: Editor, edits: Edits, motion: Motion): Edited {
  const target = move(before, motion).cursor;
  const [from, to] = [Math.min(before.cursor, target), Math.max(before.cursor, target)];
  const cut = before.characters.slice(from, to).join("");
  const { editor, edits: next } = changed(before, edits, erase(before, motion));
  return { editor, edits: cut === "" ? next : { ...next, killed: cut } };
}

function undo(editor: Editor, edits: Edits): Edited {
  const before = edits.past.at(-1);
  if (before === undefined) return { editor, edits };
  return { editor: before, edits: { ...edits, past: edits.past.slice(0, -1), last: "other" } };
}

/** Swaps the two characters before the end, or those around the cursor. */
function transpose(editor: Editor): Editor {
  const { characters } = editor;
  const at = Math.min(editor.cursor, characters.length - 1);
  if (at < 1) return editor;
  const swapped = characters.toSpliced(at - 1, 2, characters[at]!, characters[at - 1]!);
  return { characters: swapped, cursor: at + 1 };
}

const CONTROL_MOTIONS: Readonly<Record<string, Motion>> = { a: "line-start", e: "line-end", b: "left", f: "right" };
const META_MOTIONS: Readonly<Record<string, Motion>> = { b: "word-left", f: "word-right", "<": "start", ">": "end" };

function motionOf({ name, text, held }: Key): Motion | undefined {
  const isFar = held === "ctrl" || held === "meta";
  switch (name) {
    case "left":
    case "right":
      return isFar ? `word-${name}` : name;
    case "home":
      return isFar ? "start" : "line-start";
    case "end":
      return isFar ? "end" : "line-end";
    case "text":
      return held === "ctrl" ? CONTROL_MOTIONS[text] : held === "meta" ? META_MOTIONS[text] : undefined;
    default:
      return undefined;
  }
}

const CONTROL_KILLS: Readonly<Record<string, Motion>> = { k: "line-end", u: "line-start", w: "gap-left" };

function killOf({ name, text, held }: Key): Motion | undefined {
  if (name === "text")
    return held === "ctrl" ? CONTROL_KILLS[text] : held === "meta" && text === "d" ? "word-right" : undefined;
  if (held !== "ctrl" && held !== "meta") return undefined;
  return name === "backspace" ? "word-left" : name === "delete" ? "word-right" : undefined;
}

function eraseOf({ name, text, held }: Key): Motion | undefined {
  if (name === "backspace") return "left";
  if (name === "delete") return "right";
  return name === "text" && held === "ctrl" && text === "d" ? "right" : undefined;
}

/** A pressed key, or typed text. */
export interface Key {
  readonly name: KeyName;
  /** The text to insert, for `text`; the letter, for `ctrl` and `meta`. */
  readonly text: string;
  readonly held: "nothing" | "ctrl" | "meta" | "shift";
  /** `together`: it came with other letters at once, as a paste does. @default alone */
  readonly came?: "together";
}

type KeyName =
  | "text"
  | "return"
  | "escape"
  | "tab"
  | "backspace"
  | "delete"
  | "up"
  | "down"
  | "left"
  | "right"
  | "page-up"
  | "page-down"
  | "home"
  | "end";

const NAMES: readonly (readonly [keyof InkKey, KeyName])[] = [
  ["return", "return"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "page-up"],
  ["pageDown", "page-down"],
  ["home", "home"],
  ["end", "end"],
];

/** Converts terminal input to keys. Several letters that arrive together may end with a return. */
export function toKeys(input: string, key: InkKey): readonly Key[] {
  const held = key.ctrl ? "ctrl" : key.meta ? "meta" : key.shift ? "shift" : "nothing";
  const name = NAMES.find(([field]) => key[field] === true)?.[1];
  // Ink reports escape with a held meta key.
  if (name !== undefined) return [{ name, text: "", held: name === "escape" ? "nothing" : held }];
  if (input === "\n" && held !== "ctrl") return [{ name: "text", text: "\n", held: "nothing" }];
  if (input.length > 1 && /^[^\r\n]+\r$/.test(input)) {
    return [
      { name: "text", text: input.slice(0, -1), held, came: "together" },
      { name: "return", text: "", held: "nothing", came: "together" },
    ];
  }
  if (input === "") return [];
  // What ctrl-_ and ctrl-/ send.
  if (input === "\u001f") return [{ name: "text", text: "_", held: "ctrl" }];
  const came = charactersOf(input).length > 1 ? { came: "together" as const } : {};
  return [{ name: "text", text: input.replaceAll("\r", "\n"), held, ...came }];
}
