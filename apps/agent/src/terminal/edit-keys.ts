import type { Key } from "./key.ts";
import { type Editor, editorText, erase, insert, type Motion, move } from "./prompt/editor.ts";

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
