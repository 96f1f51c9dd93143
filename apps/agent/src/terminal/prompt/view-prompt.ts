import { type Line, plain, type Span } from "../../text/line.ts";
import { cutLine, padText, widthOf, wrapLine } from "../../text/width.ts";
import type { ScreenState } from "../state.ts";
import { editorText } from "./editor.ts";
import { foundText, suggestionsOf } from "./suggestions.ts";

const MAX_ROWS = 10;
const SHOWN_OPTIONS = 8;
const HINT = "Type a message. / for commands, @ for files, ! for the shell.";

const DURING_HINT = "The model reads your next message with its next request.";
const QUEUE_HINT = "↑ to edit, withdraw or move what waits. Esc stops and brings it back here.";

const SEARCH_KEYS = "  enter takes it, ctrl-r finds an older one, esc leaves";

/** Renders the prompt between two rules, with its completions. */
export function viewPrompt(state: ScreenState): readonly Line[] {
  const { columns, style } = state;
  const rule = style === "plain" ? [] : [plain("─".repeat(columns), { color: "quiet" })];
  return [...rule, ...viewEditor(state), ...rule, ...viewSuggestions(state)];
}

/** A search in earlier messages: what is looked for, and what was found. */
function viewSearch(state: ScreenState): readonly Line[] {
  const { search, columns } = state;
  const found = foundText(state);
  const head: Line = [
    { text: "search: ", color: "quiet" },
    { text: search!.typed },
    cursorSpan(" "),
    { text: found === undefined && search!.typed !== "" ? "  nothing fits" : SEARCH_KEYS, color: "quiet" },
  ];
  const text = (found ?? "").split("\n").slice(0, MAX_ROWS);
  return [cutLine(head, columns), ...text.map((line) => cutLine(plain(`  ${line}`), columns))];
}

function viewEditor(state: ScreenState): readonly Line[] {
  const { editor, columns, turn, style, queued } = state;
  if (state.search !== undefined) return viewSearch(state);
  const text = editorText(editor);
  const sign: Line = text.startsWith("!") ? plain("! ", { color: "warning" }) : plain("> ", { color: "you" });
  if (text === "") {
    const during = queued.length === 0 ? DURING_HINT : QUEUE_HINT;
    const hint = style === "plain" ? "" : turn === undefined ? HINT : during;
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
  const { options } = suggested;
  const first = Math.max(0, Math.min(at - Math.floor(SHOWN_OPTIONS / 2), options.length - SHOWN_OPTIONS));
  const shown = options.slice(first, first + SHOWN_OPTIONS);
  // Of all of them, so that nothing moves while one scrolls.
  const width = Math.max(...options.map(({ text }) => widthOf(text)));
  const rows = shown.map(({ text, about }, index) => {
    const isHere = first + index === at;
    const look = isHere ? ({ color: "you", weight: "bold" } as const) : {};
    const name = `${isHere ? "❯" : " "} ${padText(text, width)}`;
    return cutLine([...plain(name, look), ...plain(`  ${about}`, { color: "quiet" })], state.columns);
  });
  if (shown.length === options.length) return rows;
  const position = `  ${first + 1}-${first + shown.length} of ${options.length} · ↓ ↑`;
  return [...rows, plain(position, { color: "quiet" })];
}
