import { type CodeState, highlight } from "./highlight.ts";
import { inlineMarkdown } from "./inline-markdown.ts";
import { indent, type Line, plain } from "./line.ts";
import { hasCells, isDelimiter, type MarkdownTable, readTable, tableLines } from "./markdown-table.ts";
import { lineWidth, wrapLine } from "./width.ts";

/** The state after the lines so far. */
export interface MarkdownState {
  /** The open code block. */
  readonly code?: OpenCode;
  /** Lines of a table so far; its columns are known when it ends. */
  readonly table?: readonly string[];
}

interface OpenCode {
  /** The letters that close the block, as in "```". */
  readonly fence: string;
  readonly lines: CodeState;
}

export const MARKDOWN_START: MarkdownState = {};

/** One line, or a table. */
export type MarkdownBlock = MarkdownLine | MarkdownTable;

export interface MarkdownLine {
  readonly kind: "line";
  /** The prefix of the first row, and of further rows. */
  readonly lead: Line;
  readonly hang: Line;
  readonly line: Line;
}

export interface ReadMarkdown {
  /** Blocks that are complete. */
  readonly blocks: readonly MarkdownBlock[];
  readonly state: MarkdownState;
}

/** Reads Markdown line by line, so that a streamed answer never has to be drawn again. Only a table waits for its end. */
export function readMarkdown(text: string, state: MarkdownState): ReadMarkdown {
  const { table } = state;
  if (table !== undefined) {
    const [head = "", delimiter] = table;
    const belongs = delimiter === undefined ? isDelimiter(text, head) : hasCells(text);
    if (belongs) return { blocks: [], state: { table: [...table, text] } };
    const next = readMarkdown(text, MARKDOWN_START);
    return { blocks: [...endMarkdown(state), ...next.blocks], state: next.state };
  }
  if (state.code !== undefined) return readCode(text, state.code);
  const fence = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/.exec(text);
  if (fence !== null) {
    const [, letters = "", language = ""] = fence;
    const edge = plain(`┌ ${language}`.trimEnd(), { color: "quiet" });
    return { blocks: [line(edge)], state: { code: { fence: letters, lines: { language } } } };
  }
  if (hasCells(text)) return { blocks: [], state: { table: [text] } };
  return { blocks: [readLine(text)], state: MARKDOWN_START };
}

/** The end of the text: what has waited for more. */
export function endMarkdown({ table }: MarkdownState): readonly MarkdownBlock[] {
  if (table === undefined) return [];
  return table.length > 1 ? [readTable(table)] : table.map(readLine);
}

/** A whole text. */
export function readWholeMarkdown(text: string): readonly MarkdownBlock[] {
  let state = MARKDOWN_START;
  const blocks = text.split("\n").flatMap((one) => {
    const read = readMarkdown(one, state);
    state = read.state;
    return read.blocks;
  });
  return [...blocks, ...endMarkdown(state)];
}

/** Whether something else can stand behind the lines so far without being inside of a paragraph, a list, code or a table. */
export function isBetweenBlocks(lastLine: string, { code, table }: MarkdownState): boolean {
  return lastLine.trim() === "" && code === undefined && table === undefined;
}

/** Draws a block as rows of at most so many columns. */
export function blockLines(block: MarkdownBlock, columns: number): readonly Line[] {
  if (block.kind === "table") return tableLines(block, columns);
  const { lead, hang, line: shown } = block;
  const taken = lineWidth(lead);
  // An indentation without end leaves no room for words.
  if (taken > columns / 2) return wrapLine([...lead, ...shown], columns);
  return indent(wrapLine(shown, columns - taken), lead, hang);
}

function readCode(text: string, { fence, lines }: OpenCode): ReadMarkdown {
  const closing = /^\s*(`{3,}|~{3,})\s*$/.exec(text)?.[1];
  if (closing?.startsWith(fence) === true)
    return { blocks: [line(plain("└", { color: "quiet" }))], state: MARKDOWN_START };
  const bar = plain("│ ", { color: "quiet" });
  const { line: shown, state } = highlight(text, lines);
  return { blocks: [line(shown, bar)], state: { code: { fence, lines: state } } };
}

const BULLETS = ["•", "◦", "▪"];

function readLine(text: string): MarkdownLine {
  const heading = /^(#{1,6})\s+(.*)$/.exec(text);
  if (heading !== null) return line(inlineMarkdown(heading[2]!, { weight: "bold" }));
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(text)) return line(plain("─".repeat(20), { color: "quiet" }));
  const bullet = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/.exec(text);
  if (bullet !== null) {
    const [, before = "", sign = "", ticked, rest = ""] = bullet;
    const number = /\d/.test(sign) ? sign : undefined;
    const box = ticked === undefined ? undefined : ticked === " " ? "☐" : "☑";
    const dot = BULLETS[Math.min(Math.floor(before.length / 2), BULLETS.length - 1)]!;
    const shown = [number, box].filter((part) => part !== undefined).join(" ") || dot;
    return line(inlineMarkdown(rest), plain(`${before}${shown} `), plain(" ".repeat(before.length + shown.length + 1)));
  }
  const quote = /^\s*>\s?(.*)$/.exec(text);
  if (quote !== null) {
    const bar = plain("▌ ", { color: "quiet" });
    const inner = readLine(quote[1]!);
    const slanted = inner.line.map((span) => ({ ...span, slant: "italic" as const }));
    return line(slanted, [...bar, ...inner.lead], [...bar, ...inner.hang]);
  }
  // The text of a list item that goes on.
  const [before = ""] = /^\s*/.exec(text) ?? [];
  return line(inlineMarkdown(text.slice(before.length)), plain(before));
}

function line(shown: Line, lead: Line = [], hang: Line = lead): MarkdownLine {
  return { kind: "line", lead, hang, line: shown };
}
