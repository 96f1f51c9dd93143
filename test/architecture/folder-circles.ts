import { posix } from "node:path";
import type { SourceFacts } from "./source-facts.ts";

/**
 * Folders of one package that reach themselves through other folders: neither can be understood before the other. A file that
 * stands directly in `src` counts as a folder of its own.
 */
export function findFolderCircles(sources: readonly SourceFacts[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const from = folderBelowSource(path);
    if (from === undefined) continue;
    const reached = targets.get(from) ?? new Set();
    targets.set(from, reached);
    for (const { from: specifier } of imports) {
      if (!specifier.startsWith(".")) continue;
      const to = folderBelowSource(posix.join(posix.dirname(path), specifier));
      if (to !== undefined && to !== from) reached.add(to);
    }
  }
  return [...targets.keys()]
    .filter((folder) => reaches(targets, folder, folder, new Set()))
    .map((folder) => `${folder}: reaches itself through other folders`);
}

function reaches(
  targets: ReadonlyMap<string, ReadonlySet<string>>,
  from: string,
  goal: string,
  seen: Set<string>,
): boolean {
  for (const next of targets.get(from) ?? []) {
    if (next === goal) return true;
    if (!seen.has(next) && reaches(targets, next, goal, seen.add(next))) return true;
  }
  return false;
}

/** `packages/memory/src/search` of any file below it. */
function folderBelowSource(path: string): string | undefined {
  return /^.*?\/src\/[^/]+/.exec(path)?.[0];
}
