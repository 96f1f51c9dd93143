import { posix } from "node:path";
import type { SourceFacts } from "./source-facts.ts";

type Targets = ReadonlyMap<string, ReadonlySet<string>>;

/** Files that reach themselves through their imports, types included: none of them can be read before the others. */
export function findFileCircles(sources: readonly SourceFacts[]): string[] {
  const targets = new Map(
    sources.map(({ path, imports }) => {
      const inside = imports.filter(({ from }) => from.startsWith("."));
      return [path, new Set(inside.map(({ from }) => posix.join(posix.dirname(path), from)))];
    }),
  );
  return membersOfCircles(targets).map((path) => `${path}: imports itself in a circle`);
}

/** Folders of one package that reach themselves through other folders. A file directly in `src` counts as a folder. */
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
  return membersOfCircles(targets).map((folder) => `${folder}: reaches itself through other folders`);
}

/** Takes away whatever imports nothing that is left, until nothing more goes. A circle stays, with the files that import it. */
function membersOfCircles(targets: Targets): readonly string[] {
  const left = new Map(targets);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [from, reached] of left) if (![...reached].some((to) => left.has(to))) left.delete(from);
  }
  return [...left.keys()].filter((name) => reaches(left, name, name, new Set()));
}

function reaches(targets: Targets, from: string, goal: string, seen: Set<string>): boolean {
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
