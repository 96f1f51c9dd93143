import { indent, type Line, plain } from "../../text/line.ts";
import { endMarkdown, readMarkdown } from "../../text/markdown.ts";
import { cleanText } from "../../text/visible-text.ts";
import { cutLine, cutText } from "../../text/width.ts";
import { viewDialog } from "../dialogs/view-dialog.ts";
import { viewPrompt } from "../prompt/view-prompt.ts";
import type { RunningTool, ScreenState, Todo } from "../state.ts";
import { toolTitle, viewAnswer } from "./view-item.ts";
import { viewStatus } from "./view-status.ts";

const TAIL_LINES = 3;
const MAX_TODOS = 6;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Renders the live part below the finished items. It never has more rows than the terminal, which would scroll otherwise. */
export function viewLive(state: ScreenState): readonly Line[] {
  const dialog = state.dialogs[0];
  const input = dialog === undefined ? viewPrompt(state) : viewDialog(dialog, state);
  const below = [...input, ...viewStatus(state)];
  const above = [...viewTurn(state), ...viewTodos(state), ...viewActivity(state), ...viewQueued(state)];
  const room = Math.max(0, state.rows - 1 - below.length);
  const rows = [...(room === 0 ? [] : above.slice(-room)), ...below.slice(-(state.rows - 1))];
  // The terminal would break a row that is too wide, and the count of rows would be wrong.
  return rows.map((row) => cutLine(row, state.columns));
}

/** The unfinished line of the answer, and the running tools. */
function viewTurn({ turn, columns, style, nowMs }: ScreenState): readonly Line[] {
  if (turn === undefined) return [];
  const { pending, markdown, lines } = turn.answer;
  const read = pending === "" ? { blocks: [], state: markdown } : readMarkdown(cleanText(pending), markdown);
  const answer = [...read.blocks, ...endMarkdown(read.state)].flatMap((block, index) =>
    viewAnswer({ block, first: lines + index === 0 }, { columns, style }),
  );
  return [...answer, ...turn.tools.flatMap((tool) => viewTool(tool, columns, nowMs))];
}

function viewTool({ name, input, startedAtMs, tail }: RunningTool, columns: number, nowMs: number): readonly Line[] {
  const seconds = Math.floor((nowMs - startedAtMs) / 1_000);
  const head: Line = [
    { text: "◌ ", color: "tool" },
    { text: name, color: "tool", weight: "bold" },
    { text: ` ${toolTitle(name, input)}` },
    ...(seconds > 0 ? plain(` (${seconds} s)`, { color: "quiet" }) : []),
  ];
  const output = cleanText(tail).trimEnd();
  const rows = output === "" ? [] : output.split("\n").slice(-TAIL_LINES);
  return [
    [],
    cutLine(head, columns),
    ...rows.map((row) => plain(`  ${cutText(row, columns - 2)}`, { color: "quiet" })),
  ];
}

const QUEUE_KEYS = "enter edits, del withdraws, alt-↑ alt-↓ move, esc leaves";

const TODO_SIGNS: Readonly<Record<Todo["state"], string>> = { open: "☐", doing: "▸", done: "☑" };

function viewTodos({ todos, columns, turn }: ScreenState): readonly Line[] {
  if (todos.length === 0 || turn === undefined) return [];
  // Finished todos are the least interesting.
  const first = Math.max(0, Math.min(todos.findIndex(({ state }) => state !== "done") - 1, todos.length - MAX_TODOS));
  const rows = todos.slice(first, first + MAX_TODOS).map(({ content, state }): Line => {
    const text = cutText(`${TODO_SIGNS[state]} ${cleanText(content)}`, columns - 2);
    return plain(text, state === "doing" ? { weight: "bold" } : state === "done" ? { color: "quiet" } : {});
  });
  return [[], ...indent(rows, plain("  "))];
}

/** The current activity, its duration, and the key that stops it. */
function viewActivity({ turn, compaction, hooks, activity, nowMs, style, columns }: ScreenState): readonly Line[] {
  const what = compactionText(compaction) ?? hookText(hooks) ?? turnText(turn) ?? activity;
  if (what === undefined) return [];
  const since = compaction?.startedAtMs ?? turn?.startedAtMs;
  const seconds = since === undefined ? 0 : Math.max(0, Math.floor((nowMs - since) / 1_000));
  const details = [...(since === undefined ? [] : [`${seconds} s`]), "esc stops"].join(" · ");
  const sign = style === "plain" ? "" : `${SPINNER[Math.floor(nowMs / 250) % SPINNER.length]} `;
  const line: Line = [{ text: `${sign}${what}…`, color: "warning" }, ...plain(` (${details})`, { color: "quiet" })];
  return [[], cutLine(line, columns)];
}

function compactionText(compaction: ScreenState["compaction"]): string | undefined {
  if (compaction === undefined) return undefined;
  const { phase, receivedCharacters } = compaction;
  return `Compacting: ${phase}${receivedCharacters > 0 ? `, ${receivedCharacters} characters` : ""}`;
}

function hookText([first, ...others]: ScreenState["hooks"]): string | undefined {
  if (first === undefined) return undefined;
  return `Hook ${cleanText(first).replaceAll("\n", " ")}${others.length === 0 ? "" : `, and ${others.length} more`}`;
}

function turnText(turn: ScreenState["turn"]): string | undefined {
  if (turn === undefined) return undefined;
  return turn.state === "stopping" ? "Stopping" : cleanText(turn.phase).replaceAll("\n", " ");
}

/** What waits. The chosen one says what the keys do. */
function viewQueued({ queued, queueAt, columns }: ScreenState): readonly Line[] {
  return queued.flatMap(({ id, text }): readonly Line[] => {
    const shown = cutText(`queued: ${cleanText(text).replaceAll("\n", " ")}`, columns - 2);
    if (id !== queueAt) return [plain(`  ${shown}`, { color: "quiet", slant: "italic" })];
    return [plain(`❯ ${shown}`, { color: "you", weight: "bold" }), plain(`  ${QUEUE_KEYS}`, { color: "quiet" })];
  });
}
