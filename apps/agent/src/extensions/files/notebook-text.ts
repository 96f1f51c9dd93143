interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly outputs?: unknown;
}

/** Converts a Jupyter notebook to text: its cells in order, with their output. Undefined if it is not a notebook. */
export function notebookText(json: string): string | undefined {
  let notebook: unknown;
  try {
    notebook = JSON.parse(json);
  } catch {
    return undefined;
  }
  const cells = typeof notebook === "object" && notebook !== null && "cells" in notebook ? notebook.cells : undefined;
  if (!Array.isArray(cells)) return undefined;
  return cells.map((cell: Cell | null, position) => cellText(cell ?? {}, position + 1)).join("\n\n");
}

function cellText({ cell_type, source, outputs }: Cell, number: number): string {
  const printed = Array.isArray(outputs) ? outputs.map(outputText).filter(Boolean) : [];
  return [`[cell ${number}: ${String(cell_type)}]`, joined(source), ...printed.map((text) => `[output]\n${text}`)].join(
    "\n",
  );
}

/** The text of streams and results; pictures and widgets are only named. */
function outputText(output: unknown): string {
  if (typeof output !== "object" || output === null) return "";
  const { text, data, ename, evalue } = output as Readonly<Record<string, unknown>>;
  if (text !== undefined) return joined(text);
  if (ename !== undefined) return `${String(ename)}: ${String(evalue)}`;
  if (typeof data !== "object" || data === null) return "";
  const plain = (data as Readonly<Record<string, unknown>>)["text/plain"];
  return plain === undefined ? `(${Object.keys(data).join(", ")})` : joined(plain);
}

function joined(lines: unknown): string {
  return Array.isArray(lines) ? lines.join("") : typeof lines === "string" ? lines : "";
}
