import { cleanText } from "../text/clean-text.ts";
import { isAnswerable } from "./dialogs/answerable.ts";
import { layDialogOut } from "./dialogs/dialog-layout.ts";
import { type DialogState, isTyping, rewrapDialog } from "./dialogs/dialog-state.ts";
import { asSeen, type DialogView, type, updateDialog } from "./dialogs/update-dialog.ts";
import { insertText } from "./edit-keys.ts";
import type { Key } from "./key.ts";
import { asNamedImage, isLargePaste, pasteWord } from "./pastes.ts";
import { updatePrompt } from "./prompt/update-prompt.ts";
import { type Step, step } from "./screen-event.ts";
import type { ScreenState } from "./state.ts";

/** A key while a question stands on the screen: it is for the question, or still for the prompt. */
export function updateAsked(state: ScreenState, key: Key): Step {
  const [dialog, ...others] = state.dialogs;
  // Letters that came at once are a paste, whatever the terminal says, and a return among them confirms nothing.
  if (key.came === "together") return step(key.name === "text" ? paste(state, key.text) : state);
  if (!isAnswerable(state)) {
    const { state: next, effects } = updatePrompt(state, key);
    return step(restarted(next), ...effects);
  }
  const isInterrupt = key.held === "ctrl" && key.text === "c";
  const meant: Key = isInterrupt ? { name: "escape", text: "", held: "nothing" } : key;
  const next = updateDialog(dialog!, meant, viewOf(dialog!, state));
  if ("id" in next) return step({ ...state, dialogs: [next, ...others] });
  return step({ ...state, dialogs: others }, { kind: "answer", id: dialog!.id, answer: next });
}

/** Pasted text goes where text is typed: into a field of the dialog, else to the prompt. It never answers. */
export function paste(state: ScreenState, pasted: string): ScreenState {
  const text = cleanText(pasted.replaceAll(/\r\n?/g, "\n"));
  const [dialog, ...others] = state.dialogs;
  if (dialog !== undefined && isAnswerable(state) && isTyping(dialog)) {
    return { ...state, dialogs: [type(dialog, text), ...others] };
  }
  return restarted(toPrompt(state, text));
}

function toPrompt(state: ScreenState, text: string): ScreenState {
  const image = asNamedImage(text);
  const at = (inserted: string): ScreenState => ({ ...state, ...insertText(state.editor, state.edits, inserted) });
  if (image !== undefined) return at(`${image} `);
  if (!isLargePaste(text)) return at(text);
  return { ...at(pasteWord(state.pastes.length, text)), pastes: [...state.pastes, text] };
}

/** Dialogs on a screen of another size. What was read stays read. @param before the screen as it was */
export function resizeDialogs(state: ScreenState, before: ScreenState): ScreenState {
  const dialogs = before.dialogs.map((dialog, index) =>
    rewrapDialog(index === 0 && isAnswerable(before) ? asSeen(dialog, viewOf(dialog, before)) : dialog, state.columns),
  );
  return { ...state, dialogs };
}

function viewOf(dialog: DialogState, state: ScreenState): DialogView {
  return { columns: state.columns, visible: layDialogOut(dialog, state).visible };
}

/** Somebody is typing: the question waits until they pause. */
function restarted(state: ScreenState): ScreenState {
  const { standing, nowMs } = state;
  return standing === undefined ? state : { ...state, standing: { ...standing, sinceMs: nowMs } };
}
