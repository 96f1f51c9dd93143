/**
 * Formats rows as a table with aligned columns. The last column is not padded; numbers are right-aligned.
 * @param right text columns to right-align too, counted from zero
 */
export function table(rows: readonly (readonly (string | number)[])[], right: readonly number[] = []): string {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, column) => Math.max(most[column] ?? 0, text(cell).length)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          if (typeof cell === "number" || right.includes(column)) return text(cell).padStart(widths[column]!);
          return column === row.length - 1 ? cell : cell.padEnd(widths[column]!);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function text(cell: string | number): string {
  return typeof cell === "number" ? cell.toLocaleString("en-US") : cell;
}

/** Puts a text on one line, and cuts it at a maximum length. */
export function oneLine(text: string, mostCharacters: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters - 1)}…` : line;
}

export function usd(amount: number): string {
  return `$${amount.toFixed(4)}`;
}

export function time(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 16).replace("T", " ");
}

/**
 * Lays out rows in two columns. A text that is too long for the first column gets its own lines: a command continues as
 * in a shell.
 */
export function inColumns(
  rows: readonly (readonly [left: string, right: string])[],
  width: number,
  leftWidth: number = width < 90 ? 26 : 32,
): readonly string[] {
  return rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrapWords(right, width - leftWidth);
    const indented = rest.map((line) => " ".repeat(leftWidth) + line);
    if (left.length > leftWidth - 2) return [...wrapCommand(left, width), " ".repeat(leftWidth) + first, ...indented];
    return [left.padEnd(leftWidth) + first, ...indented];
  });
}

const CONTINUED = " \\";
const CONTINUED_INDENT = "    ";

/**
 * Wraps a command before its options, so that it can still be copied into a shell. Wraps a usage line before its
 * brackets.
 */
export function wrapCommand(command: string, width: number): readonly string[] {
  if (command.length <= width) return [command];
  const isUsage = command.includes(" [");
  const mark = isUsage ? "" : CONTINUED;
  const [first = "", ...parts] = command.split(isUsage ? / (?=\[)/ : / (?=--?[a-z])/);
  const lines = [first];
  for (const part of parts) {
    const line = `${lines.at(-1)} ${part}`;
    if (line.length + mark.length <= width) lines[lines.length - 1] = line;
    else lines.push(CONTINUED_INDENT + part);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? line + mark : line));
}

/** Wraps a text at spaces. */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
