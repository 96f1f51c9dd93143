/** One row of the table of floors in docs/architecture.md: a folder of the engine, or a file directly in `src`. */
export interface FloorRule {
  /** It imports only from itself and from lower floors. */
  readonly floor: number;
  readonly folder: string;
  /** Core code runs anywhere and plans without effects: no `node:` modules, no clock, no randomness, no process. */
  readonly kind: "core" | "shell";
}

/** One row of the table of packages: which others a package may import. */
export interface PackageRule {
  readonly name: string;
  readonly mayImport: readonly string[];
}

/** One row of the table of the agent: what a folder (or file) of it may reach besides itself. */
export interface FolderRule {
  readonly folder: string;
  readonly mayImport: readonly string[];
}

const FLOORS = ["floor", "folder", "holds", "kind"];
const PACKAGES = ["package", "may import"];
const FOLDERS = ["folder", "may import"];

/** Reads the rules out of the page that explains them, so that they stand in one place only. */
export function readFloorTable(markdown: string): FloorRule[] {
  return rowsBelow(FLOORS, markdown).map(([floor = "", folder = "", , kind]) => {
    if (kind !== "core" && kind !== "shell")
      throw new Error(`docs/architecture.md: ${folder} is core or shell, not "${kind}"`);
    if (!/^[1-9]\d*$/.test(floor)) throw new Error(`docs/architecture.md: ${folder} has no floor, but "${floor}"`);
    return { floor: Number(floor), folder, kind };
  });
}

export function readPackageTable(markdown: string): PackageRule[] {
  return rowsBelow(PACKAGES, markdown).map(([name = "", mayImport = ""]) => ({ name, mayImport: names(mayImport) }));
}

export function readFolderTable(markdown: string): FolderRule[] {
  return rowsBelow(FOLDERS, markdown).map(([folder = "", mayImport = ""]) => ({ folder, mayImport: names(mayImport) }));
}

/** The rows of the table with these columns. */
function rowsBelow(header: readonly string[], markdown: string): string[][] {
  const rows = markdown.split("\n").map(cellsOf);
  const start = rows.findIndex((cells) => cells.join() === header.join());
  if (start < 0) throw new Error(`docs/architecture.md has no table with the columns ${header.join(", ")}`);
  const below = rows.slice(start + 2);
  return below.slice(
    0,
    below.findIndex((cells) => cells.length === 0),
  );
}

function cellsOf(line: string): string[] {
  const cells = line.split("|").map((cell) => cell.trim());
  return line.startsWith("|") ? cells.slice(1, -1) : [];
}

function names(cell: string): string[] {
  return cell === "nothing" ? [] : cell.split(",").map((name) => name.trim());
}
