import { type Line, plain, type Span } from "../../text/line.ts";
import { cutLine, padText, widthOf, wrapLine } from "../../text/width.ts";
import { editorText } from "../editor.ts";
import type { ScreenState } from "../state.ts";
import { suggestionsOf } from "../suggestions.ts";

const MAX_ROWS = 10;
const HINT = "Type a message. / for commands, @ for files, ! for the shell.";

/** Renders the prompt between two rules, with its completions. */
export function viewPrompt(state: ScreenState): readonly Line[] {
  const { columns, style } = state;
  const rule = style === "plain" ? [] : [plain("─".repeat(columns), { color: "quiet" })];
  return [...rule, ...viewEditor(state), ...rule, ...viewSuggestions(state)];
}

function viewEditor({ editor, columns, turn, style }: ScreenState): readonly Line[] {
  const text = editorText(editor);
  const sign: Line = text.startsWith("!") ? plain("! ", { color: "warning" }) : plain("> ", { color: "you" });
  if (text === "") {
    const hint =
      style === "plain" ? "" : turn === undefined ? HINT : "The model reads your next message with its next request.";
    return [cutLine([...sign, cursorSpan(" "), ...plain(hint, { color: "quiet" })], columns)];
  }
  const { characters, cursor } = editor;
  const under = characters[cursor];
  const before = characters.slice(0, cursor).join("");
  const after = characters.slice(cursor + 1).join("");
  const shown = under === undefined || under === "\n" ? " " : under;
  const spans: Span[] = [{ text: before }, cursorSpan(shown), { text: (under === "\n" ? "\n" : "") + after }];
  const rows = linesOf(spans).flatMap((line) => wrapLine(line, columns - 3));
  const at = rows.findIndex((row) => row.some(({ mark }) => mark === "inverse"));
  const first = Math.max(0, Math.min(at - MAX_ROWS + 1, rows.length - MAX_ROWS));
  return rows.slice(first, first + MAX_ROWS).map((row, index) => [...(index === 0 ? sign : plain("  ")), ...row]);
}

/** Draws a cursor in the prompt, since the terminal's own cursor stays below the drawing. */
function cursorSpan(text: string): Span {
  return { text, mark: "inverse" };
}

/** Splits spans at line breaks. */
function linesOf(spans: readonly Span[]): readonly Line[] {
  const lines: Span[][] = [[]];
  for (const { text, ...look } of spans) {
    const [first = "", ...others] = text.split("\n");
    if (first !== "") lines.at(-1)!.push({ text: first, ...look });
    for (const other of others) lines.push(other === "" ? [] : [{ text: other, ...look }]);
  }
  return lines;
}

function viewSuggestions(state: ScreenState): readonly Line[] {
  const suggested = suggestionsOf(state);
  if (suggested === undefined) return [];
  const at = Math.min(state.suggestion.at, suggested.options.length - 1);
  const width = Math.max(...suggested.options.map(({ text }) => widthOf(text)));
  return suggested.options.map(({ text, about }, index) => {
    const look = index === at ? ({ color: "you", weight: "bold" } as const) : {};
    return cutLine(
      [...plain(`  ${padText(text, width)}`, look), ...plain(`  ${about}`, { color: "quiet" })],
      state.columns,
    );
  });
}
