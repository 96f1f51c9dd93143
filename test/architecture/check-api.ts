import { posix } from "node:path";
import type { SourceFacts } from "./source-facts.ts";

/** Everything outside the package that an entry reaches by its imports, types aside: one line each. */
export function checkReach(entry: string, sources: readonly SourceFacts[]): string[] {
  const known = new Map(sources.map((source) => [source.path, source]));
  const reachedBy = new Map<string, string | undefined>([[entry, undefined]]);
  const problems: string[] = [];
  for (const path of reachedBy.keys()) {
    const source = known.get(path);
    if (source === undefined)
      problems.push(`${reachedBy.get(path) ?? "check-api"}: imports ${path}, which is not there`);
    for (const { from, kind } of source?.imports ?? []) {
      if (kind === "type") continue;
      const target = posix.join(posix.dirname(path), from);
      if (!from.startsWith(".")) problems.push(`${path}: imports ${from}, and ${entry} must load without it`);
      else if (!reachedBy.has(target)) reachedBy.set(target, path);
    }
  }
  return problems;
}

/** Public names that mean something else in a file that does not import them. */
export function checkNames({ path, exports }: SourceFacts, globals: ReadonlySet<string>): string[] {
  const shadows = exports.filter((name) => globals.has(name));
  return shadows.map((name) => `${path}: exports "${name}", which shadows a global`);
}
