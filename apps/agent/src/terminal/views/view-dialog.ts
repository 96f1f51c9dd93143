import { type Line, type Look, plain } from "../../text/line.ts";
import { cutLine, wrapLines } from "../../text/width.ts";
import { type DialogState, shownOptions } from "../dialogs/dialog-state.ts";
import { editorText } from "../editor.ts";
import type { ScreenState } from "../state.ts";

/** What is left of the screen for what stands around a dialog. */
const OTHER_ROWS = 6;

/** A question, what it is about, and the answers. */
export function viewDialog(dialog: DialogState, { columns, rows, style }: ScreenState): readonly Line[] {
  const { title, body, words, choose, at, typed } = dialog;
  const options = shownOptions(dialog);
  const room = Math.max(3, rows - OTHER_ROWS);
  const answers = [
    ...options.map((option, index) => optionLine(dialog, option, index)),
    ...(words === undefined ? [] : [wordsLine(dialog, options.length)]),
    ...(options.length === 0 && words === undefined ? [plain("  nothing fits", { color: "quiet" })] : []),
  ];
  const search: readonly Line[] =
    dialog.shown === "searched"
      ? [[{ text: "search: ", color: "quiet" }, { text: editorText(typed) }, { text: " ", mark: "inverse" }]]
      : [];
  // Answers first: what they are about can be read in the transcript, too.
  const most = Math.min(answers.length, Math.max(4, room - 4));
  const first = Math.max(0, Math.min(at - most + 2, answers.length - most));
  const shownAnswers = answers.slice(first, first + most);
  const about = wrapLines(body, columns - 2);
  const aboutRoom = Math.max(1, room - shownAnswers.length - search.length - 2);
  const shownAbout =
    about.length > aboutRoom ? [...about.slice(0, aboutRoom - 1), plain("…", { color: "quiet" })] : about;
  const keys = choose === "several" ? "space ticks, enter answers, esc leaves" : "enter chooses, esc leaves";
  return [
    ...(style === "plain" ? [] : [plain("─".repeat(columns), { color: "warning" })]),
    cutLine(plain(title, { weight: "bold" }), columns),
    ...shownAbout.map((line) => [{ text: "  " }, ...line]),
    ...search,
    ...shownAnswers.map((line) => cutLine(line, columns)),
    plain(`  ${keys}`, { color: "quiet" }),
  ];
}

function optionLine(
  { at, choose, ticked, shown }: DialogState,
  option: DialogState["options"][number],
  index: number,
): Line {
  const look: Look = index === at ? { color: "you", weight: "bold" } : {};
  const tick = choose === "several" ? (ticked.includes(option.value) ? "[x] " : "[ ] ") : "";
  const number = shown === "searched" ? "" : `${index + 1}. `;
  const about = option.about === undefined ? [] : plain(`  ${option.about}`, { color: "quiet" });
  return [...plain(`${index === at ? "❯" : " "} ${number}${tick}${option.label}`, look), ...about];
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
