import { inlineMarkdown } from "./inline-markdown.ts";
import { type Line, plain } from "./line.ts";
import { lineWidth, wrapLine } from "./width.ts";

/** A table: its cells as lines, and how each column is aligned. */
export interface MarkdownTable {
  readonly kind: "table";
  readonly head: readonly Line[];
  readonly rows: readonly (readonly Line[])[];
  readonly align: readonly ("left" | "right" | "center")[];
}

const DELIMITER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const BETWEEN = " │ ";
/** A narrower column would break every word. */
const LEAST_COLUMNS = 6;

/** Whether a line can belong to a table. */
export function hasCells(text: string): boolean {
  return /(?<!\\)\|/.test(text);
}

/** Whether the second line of a table belongs to its first: dashes, for as many columns. */
export function isDelimiter(text: string, head: string): boolean {
  return DELIMITER.test(text) && hasCells(text) && cellsOf(text).length === cellsOf(head).length;
}

/** Reads a table. @param lines the head, the delimiter, and the rows */
export function readTable([head = "", delimiter = "", ...rows]: readonly string[]): MarkdownTable {
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

/** Draws a table that fits the width: wide columns wrap. A table with too many columns becomes a list of its rows. */
export function tableLines(table: MarkdownTable, columns: number): readonly Line[] {
  const { head, rows, align } = table;
  const natural = align.map((_, column) =>
    Math.max(1, ...[head, ...rows].map((cells) => lineWidth(cells[column] ?? []))),
  );
  const room = columns - BETWEEN.length * (align.length - 1);
  const widths = fitted(natural, room);
  if (widths === undefined) return recordLines(table, columns);
  const rule = plain(widths.map((width) => "─".repeat(width)).join("─┼─"), { color: "quiet" });
  const drawn = rows.map((cells) => rowLines(cells, widths, align));
  // Rows of several lines need something between them.
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

/** The widest columns give way, all down to the same width. Undefined if that would be too narrow to read. */
function fitted(natural: readonly number[], room: number): readonly number[] | undefined {
  const sum = (most: number): number => natural.reduce((total, width) => total + Math.min(width, most), 0);
  let most = Math.max(...natural);
  while (most >= LEAST_COLUMNS && sum(most) > room) most--;
  if (sum(most) > room) return undefined;
  const widths = natural.map((width) => Math.min(width, most));
  // What is left over goes to the columns that gave way, from the left.
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

/** A line for each cell, with the head of its column before it: for narrow screens, and for ears. */
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
