import { imageTypeOf } from "../../extensions/files/image.ts";
import { type Step, step } from "../screen-event.ts";
import type { QueuedInput, ScreenState } from "../state.ts";
import {
  changed,
  type Edited,
  EMPTY_EDITOR,
  editKey,
  editorOf,
  editorText,
  erase,
  hasLine,
  insert,
  type Key,
  type Motion,
  move,
} from "./editor.ts";
import { startSearch, suggestionsOf, updateSearch } from "./suggestions.ts";

/** Handles a key in the prompt. */
export function updatePrompt(before: ScreenState, key: Key): Step {
  if (before.search !== undefined) {
    const next = updateSearch(before, key);
    return next.key === undefined ? step(next.state) : updatePrompt(next.state, next.key);
  }
  const inQueue = updateQueue(before, key);
  if (inQueue !== undefined) return inQueue;
  const { armed, queueAt, ...state } = before;
  if (queueAt !== undefined && (key.name === "escape" || key.name === "down")) return step(state);
  if (key.held === "ctrl" && key.name === "text") {
    const done = updateControl(state, key.text, armed);
    if (done !== undefined) return done;
  }
  if (key.held === "meta" && key.text === "t") return step(state, { kind: "next-effort" });
  if (key.name === "escape") return leaveOrStop(state, armed);
  const suggested = suggestionsOf(state);
  if (suggested !== undefined) {
    const at = Math.min(state.suggestion.at, suggested.options.length - 1);
    const moved = key.name === "up" ? at - 1 : key.name === "down" ? at + 1 : undefined;
    if (moved !== undefined) {
      const { length } = suggested.options;
      return step({ ...state, suggestion: { at: (moved + length) % length } });
    }
    const { text } = suggested.options[at]!;
    const isWhole = text === suggested.word;
    if (key.name === "tab" || (key.name === "return" && !isWhole)) {
      const completed = complete(state, suggested.word, text);
      // Return runs the chosen command.
      return key.name === "return" && text.startsWith("/") ? submit(completed) : step(completed);
    }
  }
  if (key.name === "return" && key.held === "nothing") return enter(state);
  if (key.name === "tab") return key.held === "shift" ? step(state, { kind: "next-mode" }) : step(state);
  if (key.name === "up")
    return step(hasLine(state.editor, "above") ? moved(state, "line-up") : (enterQueue(state) ?? look(state, -1)));
  if (key.name === "down") return step(hasLine(state.editor, "below") ? moved(state, "line-down") : look(state, 1));
  const edit = editKey(state.editor, state.edits, key);
  return edit === undefined ? step(state) : edited(state, edit);
}

/** Keys with ctrl that do more than edit. Undefined for all others. */
function updateControl(state: ScreenState, letter: string, armed: ScreenState["armed"]): Step | undefined {
  switch (letter) {
    case "c":
      if (isBusy(state)) return stop(state);
      if (state.editor.characters.length > 0) return step(cleared(state));
      return armed === "interrupt" ? step(state, { kind: "leave" }) : step({ ...state, armed: "interrupt" });
    case "d":
      return state.editor.characters.length === 0 ? step(state, { kind: "leave" }) : undefined;
    case "o":
      return step(state, { kind: "open-transcript" });
    case "l":
      return step(state, { kind: "redraw" });
    case "z":
      return step(state, { kind: "pause" });
    case "b":
      // During a tool call; otherwise it moves the cursor, as in readline.
      return state.turn?.tools.some(({ result }) => result === undefined)
        ? step(state, { kind: "background" })
        : undefined;
    case "r":
      return step(startSearch(state));
    case "g":
      return step(state, { kind: "edit-outside", text: editorText(state.editor) });
    case "p":
      return step(look(state, -1));
    case "n":
      return step(look(state, 1));
    default:
      return undefined;
  }
}

/** Escape closes a list or stops the turn. Pressed twice, it empties the prompt or opens /rewind. */
function leaveOrStop(state: ScreenState, armed: ScreenState["armed"]): Step {
  const suggested = suggestionsOf(state);
  if (suggested !== undefined) return step({ ...state, suggestion: { at: 0, closedFor: suggested.word } });
  if (isBusy(state)) return stop(state);
  if (armed !== "escape") return step({ ...state, armed: "escape" });
  if (state.editor.characters.length > 0) return step(cleared(state));
  return step(state, { kind: "submit", text: "/rewind" });
}

function isBusy({ turn, activity, compaction }: ScreenState): boolean {
  return turn !== undefined || activity !== undefined || compaction !== undefined;
}

function stop(state: ScreenState): Step {
  const { turn } = state;
  return step(turn === undefined ? state : { ...state, turn: { ...turn, state: "stopping" } }, { kind: "stop" });
}

/** Return sends the message. After a backslash it starts a new line instead. */
function enter(state: ScreenState): Step {
  const { characters, cursor } = state.editor;
  if (cursor === characters.length && characters.at(-1) === "\\") {
    return edited(state, changed(state.editor, state.edits, insert(erase(state.editor, "left"), "\n")));
  }
  return submit(state);
}

function submit(state: ScreenState): Step {
  const text = editorText(state.editor).trim();
  if (text === "") return step(state);
  const entries = state.history.entries.at(-1) === text ? state.history.entries : [...state.history.entries, text];
  const history = { entries, at: entries.length, draft: "" };
  // Pastes stay: the history may contain their words.
  return step({ ...cleared(state), history }, { kind: "submit", text });
}

/** Moves through the user's earlier messages. */
function look(state: ScreenState, by: 1 | -1): ScreenState {
  const { entries, at, draft } = state.history;
  const to = at + by;
  if (to < 0 || to > entries.length) return state;
  const kept = at === entries.length ? editorText(state.editor) : draft;
  const editor = editorOf(to === entries.length ? kept : entries[to]!);
  return {
    ...state,
    editor,
    history: { entries, at: to, draft: kept },
    suggestion: { at: 0, closedFor: editorText(editor) },
  };
}

function moved(state: ScreenState, motion: Motion): ScreenState {
  return { ...state, editor: move(state.editor, motion) };
}

function edited(state: ScreenState, { editor, edits }: Edited): Step {
  const isSame = editorText(editor) === editorText(state.editor);
  const next: ScreenState = { ...state, editor, edits, ...(isSame ? {} : { suggestion: { at: 0 } }) };
  const wantsFiles = state.files === "unknown" && editor.characters.includes("@");
  return step(next, ...(wantsFiles ? [{ kind: "find-files" } as const] : []));
}

function cleared(state: ScreenState): ScreenState {
  return { ...state, ...changed(state.editor, state.edits, EMPTY_EDITOR), suggestion: { at: 0 } };
}

function complete(state: ScreenState, word: string, text: string): ScreenState {
  const { characters, cursor } = state.editor;
  const front = characters.slice(0, cursor - [...word].length);
  const editor = insert({ characters: [...front, ...characters.slice(cursor)], cursor: front.length }, `${text} `);
  return { ...state, editor, suggestion: { at: 0 } };
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

/** What waits, after a change. The chosen one stays chosen as long as it waits. */
export function withQueue(state: ScreenState, queued: readonly QueuedInput[]): ScreenState {
  const { queueAt, ...rest } = state;
  const isThere = queued.some(({ id }) => id === queueAt);
  return { ...rest, queued, ...(isThere && queueAt !== undefined ? { queueAt } : {}) };
}

/** Chooses the newest of what waits, or nothing if nothing does. */
function enterQueue(state: ScreenState): ScreenState | undefined {
  const newest = state.queued.at(-1);
  return newest && { ...state, queueAt: newest.id };
}

/** Handles a key while one of the waiting messages is chosen. Undefined: the key is for the prompt, and none is chosen any more. */
function updateQueue(state: ScreenState, key: Key): Step | undefined {
  const { queued, queueAt: id } = state;
  const at = queued.findIndex((one) => one.id === id);
  if (id === undefined || at < 0) return undefined;
  const by = key.name === "up" ? -1 : key.name === "down" ? 1 : undefined;
  if (by !== undefined && key.held !== "nothing") return step(state, { kind: "move-queued", id, by });
  const next = by === undefined ? undefined : queued[at + by];
  if (next !== undefined) return step({ ...state, queueAt: next.id });
  switch (key.name) {
    case "up":
      return step(state);
    case "return":
      return step(state, { kind: "withdraw", id, to: "prompt" });
    case "backspace":
    case "delete":
      return step(state, { kind: "withdraw", id, to: "nowhere" });
    default:
      return undefined;
  }
}
