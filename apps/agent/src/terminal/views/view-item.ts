import { indent, type Line, type Look, plain, plainLines } from "../../text/line.ts";
import { cutLine, cutText, wrapLine, wrapLines } from "../../text/width.ts";
import type { Item, ToolItem } from "../item.ts";
import { toolTitle } from "./tool-title.ts";
import { viewDiff } from "./view-diff.ts";

export interface ItemOptions {
  readonly columns: number;
  readonly style: "full" | "plain";
}

/** The number of output lines shown; the transcript has the rest. */
const SHOWN_LINES = 5;
const SHOWN_DIFF_LINES = 12;

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
  const rows = wrapLines(plainLines(text, look), columns - 2);
  return style === "plain" ? [plain("You:"), ...rows] : indent(rows, plain("> ", look), plain("  "));
}

export function viewAnswer(
  { lead, hang, line, first }: Omit<Extract<Item, { kind: "answer" }>, "kind">,
  { columns, style }: ItemOptions,
): readonly Line[] {
  const taken = lead.reduce((sum, { text }) => sum + text.length, 0);
  const rows = indent(wrapLine(line, Math.max(10, columns - 2 - taken)), lead, hang);
  if (style === "plain") return first ? [plain("Model:"), ...rows] : rows;
  const marked = indent(rows, first ? plain("● ", { color: "model" }) : plain("  "), plain("  "));
  return first ? [[], ...marked] : marked;
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

function outputOf({ output, outcome }: ToolItem): readonly Line[] {
  const text = output.trimEnd();
  if (text === "") return [];
  const lines = text.split("\n");
  const shown = lines.length > SHOWN_LINES ? lines.slice(0, SHOWN_LINES - 1) : lines;
  const rows = shown.map((line) => plain(line, { color: outcome === "error" ? "bad" : "quiet" }));
  return shown.length === lines.length ? rows : [...rows, moreLine(lines.length - shown.length)];
}

function moreLine(count: number): Line {
  return plain(`… ${count} more lines (ctrl-o)`, { color: "quiet", slant: "italic" });
}
