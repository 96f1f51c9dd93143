import {
  type Editor,
  EMPTY_EDITOR,
  editorOf,
  editorText,
  erase,
  hasLine,
  insert,
  type Motion,
  move,
} from "./editor.ts";
import type { Key } from "./key.ts";
import { withPastes } from "./pastes.ts";
import { type Step, step } from "./screen-event.ts";
import type { ScreenState } from "./state.ts";
import { suggestionsOf } from "./suggestions.ts";

/** Handles a key in the prompt. */
export function updatePrompt(before: ScreenState, key: Key): Step {
  const { armed, ...state } = before;
  if (key.held === "ctrl") return updateControl(state, key.text, armed);
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
  switch (key.name) {
    case "return":
      return key.held === "meta" || key.held === "shift" ? edited(state, insert(state.editor, "\n")) : enter(state);
    case "tab":
      return key.held === "shift" ? step(state, { kind: "next-mode" }) : step(state);
    case "backspace":
    case "delete":
      // Many terminals send "delete" for the backspace key.
      return edited(state, erase(state.editor, key.held === "meta" ? "word-left" : "left"));
    case "up":
      return step(hasLine(state.editor, "above") ? moved(state, "line-up") : look(state, -1));
    case "down":
      return step(hasLine(state.editor, "below") ? moved(state, "line-down") : look(state, 1));
    case "left":
    case "right":
      return step(moved(state, key.held === "meta" ? `word-${key.name}` : key.name));
    case "home":
      return step(moved(state, "line-start"));
    case "end":
      return step(moved(state, "line-end"));
    case "text":
      if (key.held === "meta") return updateMeta(state, key.text);
      return edited(state, insert(state.editor, key.text));
    default:
      return step(state);
  }
}

function updateControl(state: ScreenState, letter: string, armed: ScreenState["armed"]): Step {
  switch (letter) {
    case "c":
      if (isBusy(state)) return stop(state);
      if (state.editor.characters.length > 0) return step(cleared(state));
      return armed === "interrupt" ? step(state, { kind: "leave" }) : step({ ...state, armed: "interrupt" });
    case "d":
      return state.editor.characters.length === 0
        ? step(state, { kind: "leave" })
        : edited(state, erase(state.editor, "right"));
    case "o":
      return step(state, { kind: "open-transcript" });
    case "l":
      return step(state, { kind: "redraw" });
    case "j":
      return edited(state, insert(state.editor, "\n"));
    case "a":
      return step(moved(state, "line-start"));
    case "e":
      return step(moved(state, "line-end"));
    case "b":
      return step(moved(state, "left"));
    case "f":
      return step(moved(state, "right"));
    case "k":
      return edited(state, erase(state.editor, "line-end"));
    case "u":
      return edited(state, erase(state.editor, "line-start"));
    case "w":
      return edited(state, erase(state.editor, "word-left"));
    case "p":
      return step(look(state, -1));
    case "n":
      return step(look(state, 1));
    default:
      return step(state);
  }
}

function updateMeta(state: ScreenState, letter: string): Step {
  if (letter === "b") return step(moved(state, "word-left"));
  if (letter === "f") return step(moved(state, "word-right"));
  if (letter === "d") return edited(state, erase(state.editor, "word-right"));
  return letter === "\n" || letter === "\r" ? edited(state, insert(state.editor, "\n")) : step(state);
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
    return edited(state, insert(erase(state.editor, "left"), "\n"));
  }
  return submit(state);
}

function submit(state: ScreenState): Step {
  const text = editorText(state.editor).trim();
  if (text === "") return step(state);
  const entries = state.history.entries.at(-1) === text ? state.history.entries : [...state.history.entries, text];
  const history = { entries, at: entries.length, draft: "" };
  const said = withPastes(text, state.pastes);
  // Pastes stay: the history may contain their placeholders.
  return step({ ...cleared(state), history }, { kind: "submit", text: said });
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

function edited(state: ScreenState, editor: Editor): Step {
  const next: ScreenState = { ...state, editor, suggestion: { at: 0 } };
  const wantsFiles = state.files === "unknown" && editor.characters.includes("@");
  return step(next, ...(wantsFiles ? [{ kind: "find-files" } as const] : []));
}

function cleared(state: ScreenState): ScreenState {
  return { ...state, editor: EMPTY_EDITOR, suggestion: { at: 0 } };
}

function complete(state: ScreenState, word: string, text: string): ScreenState {
  const { characters, cursor } = state.editor;
  const front = characters.slice(0, cursor - [...word].length);
  const editor = insert({ characters: [...front, ...characters.slice(cursor)], cursor: front.length }, `${text} `);
  return { ...state, editor, suggestion: { at: 0 } };
}
