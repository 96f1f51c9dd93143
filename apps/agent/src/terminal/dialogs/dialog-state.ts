import type { Dialog, Option } from "../../extension/dialog.ts";
import { type Editor, EMPTY_EDITOR } from "../editor.ts";

export interface DialogState extends Dialog {
  readonly id: number;
  /** Which option, of those that are shown; the one behind the last is the answer in own words. */
  readonly at: number;
  readonly ticked: readonly string[];
  /** Own words, or what is searched for. */
  readonly typed: Editor;
}

export function openDialog(id: number, dialog: Dialog): DialogState {
  return { ...dialog, id, at: 0, ticked: [], typed: EMPTY_EDITOR };
}

/** The options that fit what was typed. */
export function shownOptions({ options, shown, typed }: DialogState): readonly Option[] {
  const words = typed.characters.join("").toLowerCase().split(/\s+/).filter(Boolean);
  if (shown !== "searched" || words.length === 0) return options;
  return options.filter(({ label, about = "" }) => {
    const text = `${label} ${about}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
