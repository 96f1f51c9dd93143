import { cpSync, globSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

/** All that tests read. */
const FOLDERS = ["packages", "apps", "bench", "examples", "docs", "scripts", "test", "site"];
const FILES = ["package.json", "tsconfig.json", "biome.json", "vitest.config.ts", "README.md", "CHANGELOG.md"];

/**
 * Copies the repository's sources and links what is installed, so that a source can be changed and tested without touching it. Our own
 * packages are those of the copy.
 * @param from the repository's root
 * @param to a folder that is empty or does not exist
 */
export function copyRepository(from: string, to: string): void {
  const isSource = (path: string): boolean => !["node_modules", "dist"].includes(basename(path));
  for (const path of [...FOLDERS, ...FILES])
    cpSync(join(from, path), join(to, path), { recursive: true, filter: isSource });
  const link = (path: string): void => symlinkSync(join(from, path), join(to, path));
  for (const path of globSync("{packages/*,apps/*,bench,examples}/node_modules", { cwd: from })) link(path);
  mkdirSync(join(to, "node_modules"));
  for (const name of readdirSync(join(from, "node_modules"))) {
    const path = join("node_modules", name);
    // Links to our packages are relative, so that they lead to those of the copy.
    const isOurs = name === "@palimpsest" || name.startsWith("palimpsest");
    if (isOurs) cpSync(join(from, path), join(to, path), { recursive: true, verbatimSymlinks: true });
    else link(path);
  }
}
