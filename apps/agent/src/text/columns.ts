/** Lays rows out in two columns. A text that is too long for the first column gets a line of its own. */
export function inColumns(
  rows: readonly (readonly [left: string, right: string])[],
  width: number,
  leftWidth: number = width < 90 ? 26 : 32,
): readonly string[] {
  return rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrapWords(right, width - leftWidth);
    const indented = rest.map((line) => " ".repeat(leftWidth) + line);
    if (left.length > leftWidth - 2) return [left, " ".repeat(leftWidth) + first, ...indented];
    return [left.padEnd(leftWidth) + first, ...indented];
  });
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
