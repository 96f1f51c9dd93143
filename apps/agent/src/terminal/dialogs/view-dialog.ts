import { type Line, type Look, plain } from "../../text/line.ts";
import { cutLine, cutText } from "../../text/width.ts";
import { editorText } from "../prompt/editor.ts";
import type { ScreenState } from "../state.ts";
import { viewStatus } from "../views/view-status.ts";
import { BODY_INDENT, type DialogState, depthOf, isOffered, shownOptions } from "./dialog-state.ts";

/** A question, what it is about, and the answers. */
export function viewDialog(dialog: DialogState, state: ScreenState): readonly Line[] {
  const { columns, style } = state;
  const layout = layDialogOut(dialog, state);
  const { title, typed, at, rows } = dialog;
  const answers = answerLines(dialog, layout.visible);
  const first = Math.max(0, Math.min(at - layout.answers + 2, answers.length - layout.answers));
  const top = Math.min(dialog.top, Math.max(0, rows.length - layout.visible));
  const body = rows.slice(top, top + layout.visible);
  return [
    ...(style === "plain" ? [] : [plain("─".repeat(columns), { color: "warning" })]),
    cutLine(plain(title, { weight: "bold" }), columns),
    ...body.map((line): Line => [{ text: " ".repeat(BODY_INDENT) }, ...line]),
    ...(layout.position === "none" ? [] : [positionLine(top, layout, rows.length)]),
    ...(dialog.shown === "searched"
      ? [[{ text: "search: ", color: "quiet" }, { text: editorText(typed) }, { text: " ", mark: "inverse" }] as Line]
      : []),
    ...answers.slice(first, first + layout.answers).map((line) => cutLine(line, columns)),
    plain(`  ${keysOf(dialog, state)}`, { color: "quiet" }),
    ...keptLine(state),
  ];
}

function answerLines(dialog: DialogState, visible: number): readonly Line[] {
  const options = shownOptions(dialog);
  if (options.length === 0 && dialog.words === undefined) return [plain("  nothing fits", { color: "quiet" })];
  return [
    ...options.map((option, index) => optionLine(dialog, option, index, visible)),
    ...(dialog.words === undefined ? [] : [wordsLine(dialog, options.length)]),
  ];
}

function positionLine(top: number, { visible }: DialogLayout, total: number): Line {
  const shown = visible === 0 ? `none of ${total} lines fits` : `lines ${top + 1}-${top + visible} of ${total}`;
  return plain(`  ── ${shown} · PgDn PgUp ↓ ↑ End Home`, { color: "warning" });
}

/** What the keys do now. */
function keysOf({ choose, before, escapeDoes = "leaves" }: DialogState, state: ScreenState): string {
  if (!isAnswerable(state)) return "one moment: what you type still goes to the prompt";
  const answers = choose === "several" ? "space ticks, enter answers" : "enter confirms";
  return `${answers}, esc ${before === undefined ? escapeDoes : "goes back"}`;
}

/** What was typed before the dialog took keys is still there. */
function keptLine({ editor, columns }: ScreenState): readonly Line[] {
  const text = editorText(editor).replaceAll("\n", " ");
  return text === "" ? [] : [plain(cutText(`  kept in the prompt: ${text}`, columns), { color: "quiet" })];
}

function optionLine(dialog: DialogState, option: DialogState["options"][number], index: number, visible: number): Line {
  const { at, choose, ticked, shown } = dialog;
  const isHere = index === at;
  const tick = choose === "several" ? (ticked.includes(option.value) ? "[x] " : "[ ] ") : "";
  const number = shown === "searched" ? "" : `${index + 1}. `;
  const text = `${isHere ? "❯" : " "} ${number}${tick}${option.label}`;
  if (!isOffered(option, dialog, visible)) {
    return [
      ...plain(text, { color: "quiet" }),
      ...plain("  not yet: see the end first (End or PgDn)", { color: "warning" }),
    ];
  }
  const look: Look = isHere ? { color: "you", weight: "bold" } : {};
  return [...plain(text, look), ...plain(option.about === undefined ? "" : `  ${option.about}`, { color: "quiet" })];
}

function wordsLine({ at, words, typed, options }: DialogState, index: number): Line {
  const isHere = index === at;
  const look: Look = isHere ? { color: "you", weight: "bold" } : {};
  const text = editorText(typed);
  return [
    ...plain(`${isHere ? "❯" : " "} ${options.length + 1}. ${words}`, look),
    ...(text === "" ? [] : plain(`: ${text}`)),
    ...(isHere ? [...(text === "" ? plain(": ") : []), { text: " ", mark: "inverse" } as const] : []),
  ];
}

/**
 * How long a dialog stands, without a key, before keys answer it. A person who types does not see at once that a question has
 * come: what they type is meant for the prompt.
 */
export const SETTLE_MS = 400;

/** Whether keys are for the dialog: it has been drawn, and then nothing was typed for a while. */
export function isAnswerable({ dialogs: [dialog], standing, nowMs }: ScreenState): boolean {
  if (dialog === undefined || standing === undefined) return false;
  const isSame = standing.id === dialog.id && standing.depth === depthOf(dialog);
  return isSame && nowMs - standing.sinceMs >= SETTLE_MS;
}

/** How the rows of the screen are shared out among the parts of a dialog. */
interface DialogLayout {
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
