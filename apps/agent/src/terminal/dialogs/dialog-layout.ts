import type { ScreenState } from "../state.ts";
import { viewStatus } from "../views/view-status.ts";
import { type DialogState, shownOptions } from "./dialog-state.ts";

/** How the rows of the screen are shared out among the parts of a dialog. */
export interface DialogLayout {
  /** How many answers are shown. */
  readonly answers: number;
  /** How many rows of the body are shown. */
  readonly visible: number;
  /** Whether a line says which rows those are. */
  readonly position: "shown" | "none";
}

/** Title and keys. */
const OWN_ROWS = 2;
const MIN_ANSWERS = 4;

/** The answers first, and what is left for the body. Never more rows than the screen has. */
export function layDialogOut(dialog: DialogState, state: ScreenState): DialogLayout {
  const { rows, style, editor } = state;
  const extra = [style === "full", dialog.shown === "searched", editor.characters.length > 0].filter(Boolean).length;
  const room = rows - 1 - viewStatus(state).length - OWN_ROWS - extra;
  const wanted = Math.max(1, shownOptions(dialog).length + (dialog.words === undefined ? 0 : 1));
  const answers = Math.min(wanted, Math.max(MIN_ANSWERS, room - Math.min(dialog.rows.length, MIN_ANSWERS)));
  const visible = Math.max(0, room - answers);
  if (dialog.rows.length <= visible) return { answers, visible, position: "none" };
  return { answers, visible: Math.max(0, visible - 1), position: "shown" };
}
