import type { Dialog, ExactLine, Option } from "../../extension/dialog.ts";
import { indent, type Line } from "../../text/line.ts";
import { breakLine, lineWidth, wrapLines } from "../../text/width.ts";
import { type Editor, EMPTY_EDITOR, insert } from "../prompt/editor.ts";

export interface DialogState extends Dialog {
  readonly id: number;
  /** Which option, of those that are shown; the one behind the last is the answer in own words. */
  readonly at: number;
  readonly ticked: readonly string[];
  /** Own words, or what is searched for. */
  readonly typed: Editor;
  /** The body as rows of the screen. */
  readonly rows: readonly Line[];
  /** The first row of the body that is shown. */
  readonly top: number;
  /** Whether the end of the body has been on the screen. */
  readonly read: "to-the-end" | "in-part";
  /** The question that this one follows. */
  readonly before?: DialogState;
}

/** The question that stands on the screen, and since when nothing has been typed at it. */
export interface StandingDialog {
  readonly id: number;
  /** How many questions come before it, of those of the same dialog. */
  readonly depth: number;
  readonly sinceMs: number;
}

/** The body stands a little to the right of the title. */
export const BODY_INDENT = 2;
const MIN_EXACT_COLUMNS = 8;

export function openDialog(id: number, dialog: Dialog, columns: number): DialogState {
  const rows = bodyRows(dialog, columns);
  return {
    ...dialog,
    id,
    at: 0,
    ticked: [],
    typed: insert(EMPTY_EDITOR, dialog.draft ?? ""),
    rows,
    top: 0,
    read: "in-part",
  };
}

/** The same dialog on a screen of another width: about the same part of it is shown. */
export function rewrapDialog(dialog: DialogState, columns: number): DialogState {
  const { before } = dialog;
  const rows = bodyRows(dialog, columns);
  const share = dialog.rows.length === 0 ? 0 : dialog.top / dialog.rows.length;
  const top = Math.floor(share * rows.length);
  return { ...dialog, rows, top, ...(before === undefined ? {} : { before: rewrapDialog(before, columns) }) };
}

/** How many questions come before this one. */
export function depthOf({ before }: DialogState): number {
  return before === undefined ? 0 : 1 + depthOf(before);
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

/** Whether what is typed goes into a field of the dialog: own words, or a search. */
export function isTyping(dialog: DialogState): boolean {
  return dialog.shown === "searched" || (dialog.words !== undefined && dialog.at === dialog.options.length);
}

/** Whether all of the body has been on the screen. @param visible how many of its rows are */
export function isRead({ read, rows, top }: DialogState, visible: number): boolean {
  return read === "to-the-end" || (top + visible >= rows.length && visible >= Math.min(1, rows.length));
}

/** Whether an option can be chosen now. */
export function isOffered({ from }: Option, dialog: DialogState, visible: number): boolean {
  return from === undefined || isRead(dialog, visible);
}

function bodyRows({ body, exact = [] }: Dialog, columns: number): readonly Line[] {
  const room = Math.max(MIN_EXACT_COLUMNS, columns - BODY_INDENT);
  return [...wrapLines(body, room), ...exact.flatMap((line) => exactRows(line, room))];
}

function exactRows({ lead, text }: ExactLine, columns: number): readonly Line[] {
  const width = lineWidth(lead);
  const rows = breakLine(text, Math.max(MIN_EXACT_COLUMNS, columns - width));
  return indent(rows, lead, [{ text: " ".repeat(width) }]);
}
