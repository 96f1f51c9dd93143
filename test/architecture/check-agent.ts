import { posix } from "node:path";
import type { FolderRule } from "./import-table.ts";
import type { SourceFacts } from "./source-facts.ts";

const AGENT = "apps/agent/src/";

/** Imports of the coding agent that no row of its table allows. A row holds for the folders below it, too. */
export function checkAgent({ path, imports }: SourceFacts, rules: readonly FolderRule[]): string[] {
  if (!path.startsWith(AGENT)) return [];
  const folder = folderOf(path);
  const rows = rules.filter((rule) => isWithin(folder, rule.folder));
  if (rows.length === 0) return [`${path}: "${folder}" has no row in the table of the agent of docs/architecture.md`];
  const allowed = [folder, ...rows.flatMap(({ mayImport }) => mayImport)];
  return imports.flatMap(({ from }) => {
    const target = posix.join(posix.dirname(path), from);
    if (!from.startsWith(".") || !target.startsWith(AGENT)) return [];
    const reached = folderOf(target);
    return allowed.some((name) => isWithin(reached, name))
      ? []
      : [`${path}: ${folder} may not import ${reached} (${from})`];
  });
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(`${outer}/`);
}

/** The folder below src, or the file itself; each extension is a folder of its own. */
function folderOf(path: string): string {
  const [first = "", second = "", ...rest] = path.slice(AGENT.length).split("/");
  if (second === "") return first.replace(/\.ts$/, "");
  return first === "extensions" && rest.length > 0 ? `${first}/${second}` : first;
}
