/** One row of the import table in docs/architecture.md: what a folder (or file) of the library may reach. */
export interface LayerRule {
  readonly layer: string;
  readonly mayImport: readonly string[];
  readonly mayImportTypesOf: readonly string[];
  /** Core layers run anywhere and plan without effects: no `node:` modules, no clock, no randomness, no process. */
  readonly kind: "core" | "shell";
}

const HEADER = ["layer", "may import", "types of", "kind"];

/** Reads the rules out of the page that explains them, so that they stand in one place only. */
export function readImportTable(markdown: string): LayerRule[] {
  const rows = markdown.split("\n").map(cellsOf);
  const start = rows.findIndex((cells) => cells.join() === HEADER.join());
  if (start < 0) throw new Error(`docs/architecture.md has no table with the columns ${HEADER.join(", ")}`);
  const rules: LayerRule[] = [];
  for (const [layers = "", mayImport = "", typesOf = "", kind] of rows.slice(start + 2)) {
    if (layers === "") break;
    if (kind !== "core" && kind !== "shell")
      throw new Error(`docs/architecture.md: a layer is core or shell, not "${kind}"`);
    for (const layer of names(layers)) {
      rules.push({ layer, mayImport: names(mayImport), mayImportTypesOf: names(typesOf), kind });
    }
  }
  return rules;
}

function cellsOf(line: string): string[] {
  const cells = line.split("|").map((cell) => cell.trim());
  return line.startsWith("|") ? cells.slice(1, -1) : [];
}

function names(cell: string): string[] {
  return cell === "nothing" ? [] : cell.split(",").map((name) => name.trim());
}
