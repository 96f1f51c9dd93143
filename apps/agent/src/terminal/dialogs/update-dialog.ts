import type { DialogAnswer } from "../../extension/dialog.ts";
import { editorText, erase, insert, move } from "../editor.ts";
import type { Key } from "../key.ts";
import { type DialogState, shownOptions } from "./dialog-state.ts";

/** A key in a dialog: it changes, or it is answered. */
export function updateDialog(dialog: DialogState, key: Key): DialogState | DialogAnswer {
  const options = shownOptions(dialog);
  const last = options.length - (dialog.words === undefined ? 1 : 0);
  const inWords = dialog.words !== undefined && dialog.at === options.length;
  const option = options[dialog.at];
  switch (key.name) {
    case "escape":
      return { kind: "left" };
    case "up":
      return { ...dialog, at: dialog.at <= 0 ? Math.max(0, last) : dialog.at - 1 };
    case "down":
    case "tab":
      return { ...dialog, at: dialog.at >= last ? 0 : dialog.at + 1 };
    case "return":
      if (inWords) return { kind: "words", text: editorText(dialog.typed).trim() };
      if (dialog.choose === "several") {
        const values = dialog.ticked.length > 0 ? dialog.ticked : option === undefined ? [] : [option.value];
        return { kind: "chosen", values };
      }
      return option === undefined ? dialog : { kind: "chosen", values: [option.value] };
    case "backspace":
    case "delete":
      return typing(dialog, inWords) ? { ...dialog, typed: erase(dialog.typed, "left") } : dialog;
    case "left":
    case "right":
      return typing(dialog, inWords) ? { ...dialog, typed: move(dialog.typed, key.name) } : dialog;
    case "text":
      return key.held === "ctrl" ? dialog : typed(dialog, key.text, inWords);
    default:
      return dialog;
  }
}

function typing({ shown }: DialogState, inWords: boolean): boolean {
  return inWords || shown === "searched";
}

function typed(dialog: DialogState, text: string, inWords: boolean): DialogState | DialogAnswer {
  if (typing(dialog, inWords)) {
    return { ...dialog, typed: insert(dialog.typed, text.replaceAll("\n", " ")), ...(inWords ? {} : { at: 0 }) };
  }
  const option = dialog.options[Number(text) - 1];
  if (dialog.choose === "several") {
    const meant = text === " " ? dialog.options[dialog.at] : option;
    return meant === undefined ? dialog : { ...dialog, ticked: toggled(dialog.ticked, meant.value) };
  }
  if (option !== undefined) return { kind: "chosen", values: [option.value] };
  // Whoever begins to write has an answer of his own; a digit is one too, if it is that of the line for it.
  if (dialog.words === undefined) return dialog;
  const isItsDigit = Number(text) === dialog.options.length + 1;
  return { ...dialog, at: dialog.options.length, typed: isItsDigit ? dialog.typed : insert(dialog.typed, text) };
}

function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}
