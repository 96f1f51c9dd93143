// Draws Markdown as lines for the screen.
import { createRequire } from "node:module";
import type { Lexer, Token } from "marked";
import { type CodeState, highlight } from "./highlight.ts";
import { indent, type Line, type Look, plain, type Span } from "./line.ts";
import { lineWidth, wrapLine } from "./width.ts";

/** The state of the reader after the lines so far. */
export interface MarkdownState {
  /** The open code block. */
  readonly code?: OpenCode;
  /** The lines of an open table. Its columns are known when it ends. */
  readonly table?: readonly string[];
}

interface OpenCode {
  /** The characters that close the block, as in "```". */
  readonly fence: string;
  readonly lines: CodeState;
}

export const MARKDOWN_START: MarkdownState = {};

/** One line, or a table. */
export type MarkdownBlock = MarkdownLine | MarkdownTable;

interface MarkdownLine {
  readonly kind: "line";
  /** The prefix of the first row. `hang` is the prefix of the other rows. */
  readonly lead: Line;
  readonly hang: Line;
  readonly line: Line;
}

interface ReadMarkdown {
  /** The complete blocks. */
  readonly blocks: readonly MarkdownBlock[];
  readonly state: MarkdownState;
}

/**
 * Reads Markdown line by line, so that a streamed answer is never drawn again. Only a table is held back until it ends.
 */
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
  const fence = text.length > MAX_MARKED_CHARACTERS ? null : /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/.exec(text);
  if (fence !== null) {
    const [, letters = "", language = ""] = fence;
    const edge = plain(`┌ ${language}`.trimEnd(), { color: "quiet" });
    return { blocks: [line(edge)], state: { code: { fence: letters, lines: { language } } } };
  }
  if (text.length <= MAX_MARKED_CHARACTERS && hasCells(text)) return { blocks: [], state: { table: [text] } };
  return { blocks: [readLine(text)], state: MARKDOWN_START };
}

/** Returns the blocks that were held back, at the end of the text. */
export function endMarkdown({ table }: MarkdownState): readonly MarkdownBlock[] {
  if (table === undefined) return [];
  return table.length > 1 ? [readTable(table)] : table.map(readLine);
}

/** Reads a whole Markdown text. */
export function readWholeMarkdown(text: string): readonly MarkdownBlock[] {
  let state = MARKDOWN_START;
  const blocks = text.split("\n").flatMap((one) => {
    const read = readMarkdown(one, state);
    state = read.state;
    return read.blocks;
  });
  return [...blocks, ...endMarkdown(state)];
}

/** Whether other output can follow the lines so far without interrupting a paragraph, a list, code or a table. */
export function isBetweenBlocks(lastLine: string, { code, table }: MarkdownState): boolean {
  return lastLine.trim() === "" && code === undefined && table === undefined;
}

/** Draws a block as rows of limited width. */
export function blockLines(block: MarkdownBlock, columns: number): readonly Line[] {
  if (block.kind === "table") return tableLines(block, columns);
  const { lead, hang, line: shown } = block;
  const leadWidth = lineWidth(lead);
  // A very deep indentation would leave no room for words.
  if (leadWidth > columns / 2) return wrapLine([...lead, ...shown], columns);
  return indent(wrapLine(shown, columns - leadWidth), lead, hang);
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

/** A longer line is shown as it is: no heading, list or table is that long, and patterns would take long to find out. */
const MAX_MARKED_CHARACTERS = 2_000;
/** Quotes in quotes. More are shown as text. */
const MAX_QUOTES = 20;

function readLine(whole: string): MarkdownLine {
  let text = whole;
  let quotes = 0;
  for (; quotes < MAX_QUOTES; quotes++) {
    const inner = text.trimStart();
    if (!inner.startsWith(">")) break;
    text = inner.slice(/^\s/.test(inner.slice(1, 2)) ? 2 : 1);
  }
  const read = text.length > MAX_MARKED_CHARACTERS ? line([{ text }]) : readUnquoted(text);
  if (quotes === 0) return read;
  const bars = Array.from({ length: quotes }, () => plain("▌ ", { color: "quiet" })).flat();
  const slanted = read.line.map((span) => ({ ...span, slant: "italic" as const }));
  return line(slanted, [...bars, ...read.lead], [...bars, ...read.hang]);
}

function readUnquoted(text: string): MarkdownLine {
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
  // The continued text of a list item.
  const [before = ""] = /^\s*/.exec(text) ?? [];
  return line(inlineMarkdown(text.slice(before.length)), plain(before));
}

function line(shown: Line, lead: Line = [], hang: Line = lead): MarkdownLine {
  return { kind: "line", lead, hang, line: shown };
}

/** A table: its cells as lines, and the alignment of each column. */
interface MarkdownTable {
  readonly kind: "table";
  readonly head: readonly Line[];
  readonly rows: readonly (readonly Line[])[];
  readonly align: readonly ("left" | "right" | "center")[];
}

const BETWEEN = " │ ";
/** A narrower column would break every word. */
const LEAST_COLUMNS = 6;

/** Whether a line can belong to a table. */
function hasCells(text: string): boolean {
  return /(?<!\\)\|/.test(text);
}

/** Whether a line is the delimiter below a table head: dashes for the same number of columns. */
function isDelimiter(text: string, head: string): boolean {
  if (text.length > MAX_MARKED_CHARACTERS || !hasCells(text)) return false;
  const cells = cellsOf(text);
  return cells.every((cell) => /^:?-+:?$/.test(cell)) && cells.length === cellsOf(head).length;
}

/** Reads a table. @param lines the head, the delimiter, and the rows */
function readTable([head = "", delimiter = "", ...rows]: readonly string[]): MarkdownTable {
  const align = cellsOf(delimiter).map((cell) => {
    if (cell.endsWith(":")) return cell.startsWith(":") ? "center" : "right";
    return "left";
  });
  const toCells = (text: string): readonly Line[] => {
    const cells = cellsOf(text);
    return align.map((_, column) => inlineMarkdown(cells[column] ?? ""));
  };
  return { kind: "table", align, head: toCells(head), rows: rows.map(toCells) };
}

function cellsOf(text: string): readonly string[] {
  return text
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** Draws a table that fits the width. Wide columns wrap. A table with too many columns becomes a list of its rows. */
function tableLines(table: MarkdownTable, columns: number): readonly Line[] {
  const { head, rows, align } = table;
  const natural = align.map((_, column) =>
    Math.max(1, ...[head, ...rows].map((cells) => lineWidth(cells[column] ?? []))),
  );
  const room = columns - BETWEEN.length * (align.length - 1);
  const widths = fitted(natural, room);
  if (widths === undefined) return recordLines(table, columns);
  const rule = plain(widths.map((width) => "─".repeat(width)).join("─┼─"), { color: "quiet" });
  const drawn = rows.map((cells) => rowLines(cells, widths, align));
  // Rows of several lines need a rule between them.
  const apart = drawn.some((lines) => lines.length > 1) ? [rule] : [];
  return [
    ...rowLines(
      head.map((cell) => cell.map((span) => ({ ...span, weight: "bold" as const }))),
      widths,
      align,
    ),
    rule,
    ...drawn.flatMap((lines, index) => (index === 0 ? lines : [...apart, ...lines])),
  ];
}

/** Narrows the widest columns to the same width. Undefined if that width would be too narrow to read. */
function fitted(natural: readonly number[], room: number): readonly number[] | undefined {
  const sum = (most: number): number => natural.reduce((total, width) => total + Math.min(width, most), 0);
  let most = Math.max(...natural);
  while (most >= LEAST_COLUMNS && sum(most) > room) most--;
  if (sum(most) > room) return undefined;
  const widths = natural.map((width) => Math.min(width, most));
  // Remaining width goes to the narrowed columns, from the left.
  let left = room - sum(most);
  return widths.map((width, column) => {
    if (width === natural[column] || left <= 0) return width;
    left--;
    return width + 1;
  });
}

function rowLines(cells: readonly Line[], widths: readonly number[], align: MarkdownTable["align"]): readonly Line[] {
  const wrapped = cells.map((cell, column) => wrapLine(cell, widths[column]!));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    wrapped.flatMap((lines, column) => {
      const isLast = column === widths.length - 1;
      const cell = aligned(lines[row] ?? [], widths[column]!, align[column]!, isLast);
      return isLast ? cell : [...cell, { text: BETWEEN, color: "quiet" as const }];
    }),
  );
}

function aligned(cell: Line, width: number, align: MarkdownTable["align"][number], isLast: boolean): Line {
  const free = Math.max(0, width - lineWidth(cell));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  const after = isLast ? 0 : free - before;
  return [...plain(" ".repeat(before)), ...cell, ...plain(" ".repeat(after))];
}

/** Draws each cell on a line of its own, with the column's head before it: for narrow screens and screen readers. */
export function recordLines({ head, rows }: MarkdownTable, columns: number): readonly Line[] {
  return rows.flatMap((cells, index) => [
    ...(index === 0 ? [] : [plain("─".repeat(Math.min(20, columns)), { color: "quiet" })]),
    ...cells.flatMap((cell, column) => {
      const name = head[column] ?? [];
      const lead: Line =
        lineWidth(name) === 0 ? [] : [...name.map((span) => ({ ...span, weight: "bold" as const })), { text: ": " }];
      return wrapLine([...lead, ...cell], columns);
    }),
  ]);
}

/** The characters that can begin a styled part. */
const MARKS = /[*_~`[<\\]|https?:/;
const WORD_END = /[\p{L}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;

const load = createRequire(import.meta.url);

/**
 * Reads bold, italic, struck-out text, code and links in one line of Markdown. Loads the parser when a line first needs
 * it. Text like `__init__` or `a*b*c`, where Markdown's rules would remove characters of a name or a formula, stays
 * unchanged.
 */
export function inlineMarkdown(text: string, look: Look = {}): Line {
  if (text === "") return [];
  if (!MARKS.test(text)) return [{ text, ...look }];
  const { Lexer: Reader } = load("marked") as { readonly Lexer: typeof Lexer };
  return spansOf(new Reader({ gfm: true }).inlineTokens(text), look);
}

function spansOf(tokens: readonly Token[], look: Look): Line {
  return tokens.flatMap((token, index): readonly Span[] => {
    const around = [tokens[index - 1]?.raw ?? "", tokens[index + 1]?.raw ?? ""] as const;
    return spansOfToken(token, look, around);
  });
}

function spansOfToken(token: Token, look: Look, around: readonly [before: string, after: string]): Line {
  const { raw } = token;
  const inner = "tokens" in token && token.tokens !== undefined ? (token.tokens as readonly Token[]) : [];
  switch (token.type) {
    case "strong":
    case "em": {
      if (isName(raw, around)) return [{ text: raw, ...look }];
      return spansOf(inner, token.type === "em" ? { ...look, slant: "italic" } : { ...look, weight: "bold" });
    }
    case "del":
      return raw.startsWith("~~") ? spansOf(inner, { ...look, mark: "struck" }) : [{ text: raw, ...look }];
    case "codespan":
      return [{ text: String(token["text"]), ...look, color: "code" }];
    case "escape":
      return [{ text: String(token["text"]), ...look }];
    case "link":
      return link(inner, String(token["href"]), raw, look);
    default:
      return [{ text: raw, ...look }];
  }
}

/**
 * Whether emphasis is part of a name or a formula. `__init__` and `_private_` are names, but emphasis of several words
 * is not. A star inside a word multiplies.
 */
function isName(raw: string, [before, after]: readonly [string, string]): boolean {
  if (raw.startsWith("_")) return !/\s/.test(raw);
  return !raw.startsWith("**") && (WORD_END.test(before) || WORD_START.test(after));
}

function link(inner: readonly Token[], address: string, raw: string, look: Look): Line {
  const shown = spansOf(inner, { ...look, mark: "underline" });
  const text = shown.map((span) => span.text).join("");
  const isBare = address === text || address === `mailto:${text}` || !raw.startsWith("[");
  return isBare ? shown : [...shown, { text: ` (${address})`, ...look, color: "quiet" }];
}
