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

/** Puts a text on one line, and cuts it if it is too long. */
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
