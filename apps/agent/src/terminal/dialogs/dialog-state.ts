import type { Dialog, DialogAnswer, ExactLine, Option } from "../../extension/slash-command.ts";
import { indent, type Line } from "../../text/line.ts";
import { breakLine, lineWidth, wrapLines } from "../../text/width.ts";
import { type Editor, EMPTY_EDITOR, editorText, erase, insert, type Key, move } from "../prompt/editor.ts";

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
  return { ...dialog, rows, top, before: before === undefined ? undefined : rewrapDialog(before, columns) };
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
function isRead({ read, rows, top }: DialogState, visible: number): boolean {
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
