import type { ExactLine } from "../../extension/slash-command.ts";
import type { DiffLine } from "../../text/diff-lines.ts";
import { indent, type Line, type Look, plain, plainLines } from "../../text/line.ts";
import { blockLines, recordLines } from "../../text/markdown.ts";
import { visibleLine, visibleText } from "../../text/visible-text.ts";
import { cutLine, cutText, wrapLines } from "../../text/width.ts";
import type { AnswerItem, Item, ToolItem } from "../state.ts";

interface ItemOptions {
  readonly columns: number;
  readonly style: "full" | "plain";
}

/** The number of output lines shown; the transcript has the rest. */
const SHOWN_LINES = 5;
const SHOWN_DIFF_LINES = 12;
const SHOWN_YOUR_ROWS = 12;

/** Renders a finished item as rows, with an empty row before a new part. */
export function viewItem(item: Item, options: ItemOptions): readonly Line[] {
  switch (item.kind) {
    case "you":
      return [[], ...viewYou(item.text, options)];
    case "answer":
      return viewAnswer(item, options);
    case "tool":
      return [[], ...viewTool(item, options)];
    case "lines":
      return wrapLines(item.lines, options.columns);
  }
}

function viewYou(text: string, { columns, style }: ItemOptions): readonly Line[] {
  const look: Look = { color: "you", weight: "bold" };
  const rows = folded(wrapLines(plainLines(text, look), columns - 2));
  return style === "plain" ? [plain("You:"), ...rows] : indent(rows, plain("> ", look), plain("  "));
}

export function viewAnswer({ block, first }: Omit<AnswerItem, "kind">, options: ItemOptions): readonly Line[] {
  const { columns, style } = options;
  if (style === "plain") {
    const spoken = block.kind === "table" ? recordLines(block, columns) : blockLines(block, columns);
    return first ? [plain("Model:"), ...spoken] : spoken;
  }
  const rows = blockLines(block, columns - 2);
  const marked = indent(rows, first ? plain("● ", { color: "model" }) : plain("  "), plain("  "));
  return first ? [[], ...marked] : marked;
}

/** A long message, such as a paste, is shown by its beginning. */
function folded(rows: readonly Line[]): readonly Line[] {
  if (rows.length <= SHOWN_YOUR_ROWS) return rows;
  const shown = rows.slice(0, SHOWN_YOUR_ROWS - 1);
  return [...shown, moreLine(rows.length - shown.length)];
}

const SIGNS: Readonly<Record<ToolItem["outcome"], readonly [string, Look]>> = {
  ok: ["✓", { color: "good" }],
  error: ["✗", { color: "bad" }],
  denied: ["✗", { color: "warning" }],
  stopped: ["■", { color: "warning" }],
};
const WORDS: Readonly<Record<ToolItem["outcome"], string>> = {
  ok: "",
  error: " (failed)",
  denied: " (denied)",
  stopped: " (stopped)",
};

function viewTool(item: ToolItem, { columns, style }: ItemOptions): readonly Line[] {
  const { name, input, outcome } = item;
  const [sign, look] = SIGNS[outcome];
  const begin: Line = style === "plain" ? plain("Tool: ") : [{ text: `${sign} `, ...look }];
  const title = cutText(toolTitle(name, input), columns - 4 - name.length - WORDS[outcome].length);
  const head: Line = [
    ...begin,
    { text: name, color: "tool", weight: "bold" },
    { text: ` ${title}` },
    ...plain(WORDS[outcome], look),
  ];
  const body = diffOf(item, columns - 2) ?? outputOf(item).map((line) => cutLine(line, columns - 2));
  return [head, ...body.map((line) => [{ text: "  " }, ...line])];
}

/** A change of a file is shown as what has changed. */
function diffOf({ diff, outcome }: ToolItem, columns: number): readonly Line[] | undefined {
  if (outcome !== "ok" || diff === undefined || diff.lines.length === 0) return undefined;
  const lines = viewDiff(diff.lines);
  const shown = lines.length > SHOWN_DIFF_LINES ? lines.slice(0, SHOWN_DIFF_LINES - 1) : lines;
  const rows = shown.map(({ lead, text }) => cutLine([...lead, ...text], columns));
  return shown.length === lines.length ? rows : [...rows, moreLine(lines.length - shown.length)];
}

function outputOf({ output, outputLines, outcome }: ToolItem): readonly Line[] {
  if (output === "") return [];
  const shown = output.split("\n").slice(0, outputLines > SHOWN_LINES ? SHOWN_LINES - 1 : SHOWN_LINES);
  const rows = shown.map((line) => plain(line, { color: outcome === "error" ? "bad" : "quiet" }));
  return shown.length === outputLines ? rows : [...rows, moreLine(outputLines - shown.length)];
}

function moreLine(count: number): Line {
  return plain(`… ${count.toLocaleString("en-US")} more ${count === 1 ? "line" : "lines"} (ctrl-o)`, {
    color: "quiet",
    slant: "italic",
  });
}

/** The field that says what a call of a tool of ours is about. */
const MAIN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Bash: ["command"],
  BashOutput: ["id"],
  KillBash: ["id"],
  Read: ["file_path"],
  Edit: ["file_path"],
  Write: ["file_path"],
  Glob: ["pattern"],
  Grep: ["pattern"],
  WebFetch: ["url"],
  WebSearch: ["query"],
  AskUser: ["question"],
  Skill: ["skill"],
  Agent: ["description"],
  recall: ["entry", "search"],
  Memory: ["command"],
  ExitPlan: [],
  EnterPlan: [],
};

/** What a call is about, in one line: the command, the file, the pattern. Of tools of others, every field. */
export function toolTitle(name: string, input: unknown): string {
  const fields = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const main = MAIN_FIELDS[name]?.filter((field) => fields[field] !== undefined);
  const [field] = main ?? [];
  if (main !== undefined && (field !== undefined || MAIN_FIELDS[name]!.length === 0)) {
    return field === undefined ? "" : oneLine(field === "entry" ? `entry ${fields[field]}` : textOf(fields[field]));
  }
  const all = Object.entries(fields).map(([key, value]) => `${key}: ${textOf(value)}`);
  return oneLine(all.join(", "));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function oneLine(text: string): string {
  return visibleText(text.replaceAll(/[ \t\r\n]+/g, " ").trim());
}

const DIFF_SIGNS: Readonly<Record<DiffLine["kind"], string>> = {
  same: " ",
  added: "+",
  removed: "-",
  skipped: "⋮",
};
const LOOKS: Readonly<Record<DiffLine["kind"], Look>> = {
  same: {},
  added: { color: "good" },
  removed: { color: "bad" },
  skipped: { color: "quiet" },
};

/** A difference as lines with their numbers. Added lines are green, removed ones red. */
export function viewDiff(lines: readonly DiffLine[]): readonly ExactLine[] {
  const digits = String(Math.max(0, ...lines.map(({ number = 0 }) => number))).length;
  return lines.map(({ kind, number, text }) => {
    const look = LOOKS[kind];
    const lead = plain(`${String(number ?? "").padStart(digits)} `, { color: "quiet" });
    return { lead: [...lead, { text: `${DIFF_SIGNS[kind]} `, ...look }], text: visibleLine(text, look) };
  });
}
