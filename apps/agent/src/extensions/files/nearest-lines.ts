export interface NearestLines {
  /** The first line of the place, counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The share of lines that are equal except for white space. */
  readonly likeness: number;
}

/** The limit of comparisons, some tens of milliseconds. */
const MAX_COMPARISONS = 5_000_000;

/** Finds the lines that are most similar to a text that was not found; undefined without any similar lines. */
export function nearestLines(content: string, wanted: string): NearestLines | undefined {
  const lines = content.split("\n");
  const sought = wanted.replace(/\n$/, "").split("\n").map(squeeze);
  if (lines.length * sought.length > MAX_COMPARISONS) return undefined;
  const squeezed = lines.map(squeeze);
  let best = { line: 0, alike: 0 };
  for (let start = 0; start < lines.length; start++) {
    const alike = sought.filter((line, position) => line !== "" && squeezed[start + position] === line).length;
    if (alike > best.alike) best = { line: start + 1, alike };
  }
  if (best.alike === 0) return undefined;
  const text = lines.slice(best.line - 1, best.line - 1 + sought.length).join("\n");
  return { line: best.line, text, likeness: best.alike / sought.filter((line) => line !== "").length };
}

function squeeze(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}
