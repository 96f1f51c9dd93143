import type { DialogAnswer, Option } from "../../extension/dialog.ts";
import type { Key } from "../key.ts";
import { editorText, erase, insert, move } from "../prompt/editor.ts";
import { type DialogState, isOffered, isRead, isTyping, openDialog, shownOptions } from "./dialog-state.ts";

/** The part of the screen that the body of a dialog has. */
export interface DialogView {
  readonly columns: number;
  /** How many rows of the body are shown. */
  readonly visible: number;
}

/** A key in a dialog: it changes, or it is answered. */
export function updateDialog(dialog: DialogState, key: Key, view: DialogView): DialogState | DialogAnswer {
  const last = shownOptions(dialog).length - (dialog.words === undefined ? 1 : 0);
  const isLong = dialog.rows.length > view.visible;
  switch (key.name) {
    case "escape":
      return dialog.before ?? { kind: "left" };
    case "up":
      if (isLong && dialog.at <= 0) return scroll(dialog, -1, view);
      return { ...dialog, at: dialog.at <= 0 ? Math.max(0, last) : dialog.at - 1 };
    case "down":
      // What is longer than the screen is read first: the answers stand below its end.
      if (isLong && dialog.top + view.visible < dialog.rows.length) return scroll(dialog, 1, view);
      return { ...dialog, at: dialog.at < last ? dialog.at + 1 : isLong ? last : 0 };
    case "tab":
      return { ...dialog, at: dialog.at >= last ? 0 : dialog.at + 1 };
    case "page-up":
      return scroll(dialog, 1 - view.visible, view);
    case "page-down":
      return scroll(dialog, view.visible - 1, view);
    case "home":
      return scroll(dialog, Number.NEGATIVE_INFINITY, view);
    case "end":
      return scroll(dialog, Number.POSITIVE_INFINITY, view);
    case "return":
      return confirm(dialog, view);
    case "backspace":
    case "delete":
      return isTyping(dialog) ? { ...dialog, typed: erase(dialog.typed, "left") } : dialog;
    case "left":
    case "right":
      return isTyping(dialog) ? { ...dialog, typed: move(dialog.typed, key.name) } : dialog;
    case "text":
      return key.held === "ctrl" ? dialog : type(dialog, key.text);
    default:
      return dialog;
  }
}

/** What is typed selects, or is written; only Enter answers. */
export function type(dialog: DialogState, text: string): DialogState {
  if (isTyping(dialog)) {
    const typed = insert(dialog.typed, text.replaceAll("\n", " "));
    return { ...dialog, typed, ...(dialog.shown === "searched" ? { at: 0 } : {}) };
  }
  const at = Number(text) - 1;
  const option = dialog.options[at];
  if (dialog.choose === "several") {
    const meant = text === " " ? dialog.options[dialog.at] : option;
    return meant === undefined ? dialog : { ...dialog, ticked: toggled(dialog.ticked, meant.value) };
  }
  if (option !== undefined) return { ...dialog, at };
  // Letters are the beginning of an answer in own words; the digit of its line only selects it.
  if (dialog.words === undefined) return dialog;
  const { typed, options } = dialog;
  return { ...dialog, at: options.length, typed: at === options.length ? typed : insert(typed, text) };
}

function confirm(dialog: DialogState, view: DialogView): DialogState | DialogAnswer {
  const options = shownOptions(dialog);
  if (dialog.words !== undefined && dialog.at === options.length) {
    return { kind: "words", text: editorText(dialog.typed).trim() };
  }
  const option = options[dialog.at];
  const several = dialog.choose === "several" && dialog.ticked.length > 0;
  const chosen = several ? options.filter(({ value }) => dialog.ticked.includes(value)) : option ? [option] : [];
  if (!chosen.every((one: Option) => isOffered(one, dialog, view.visible))) return dialog;
  if (several) return { kind: "chosen", values: dialog.ticked };
  if (option === undefined) return dialog.choose === "several" ? { kind: "chosen", values: [] } : dialog;
  if (option.asks !== undefined) {
    return { ...openDialog(dialog.id, option.asks, view.columns), before: asSeen(dialog, view) };
  }
  return { kind: "chosen", values: [option.value] };
}

function scroll(dialog: DialogState, by: number, view: DialogView): DialogState {
  const most = Math.max(0, dialog.rows.length - view.visible);
  const top = Math.min(most, Math.max(0, Math.min(dialog.top, most) + by));
  return asSeen({ ...asSeen(dialog, view), top }, view);
}

/** What has been on the screen stays read, wherever one scrolls to. */
export function asSeen(dialog: DialogState, { visible }: Pick<DialogView, "visible">): DialogState {
  return isRead(dialog, visible) ? { ...dialog, read: "to-the-end" } : dialog;
}

function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}
