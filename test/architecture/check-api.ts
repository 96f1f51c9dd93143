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

export interface NameRules {
  readonly maxNames: number;
  readonly globals: ReadonlySet<string>;
}

/** More public names than one can hold in the head, and names that mean something else where nothing is imported. */
export function checkNames({ path, exports }: SourceFacts, { maxNames, globals }: NameRules): string[] {
  const tooMany =
    exports.length > maxNames ? [`${path}: exports ${exports.length} names; ${maxNames} is the most`] : [];
  const shadows = exports.filter((name) => globals.has(name));
  return [...tooMany, ...shadows.map((name) => `${path}: exports "${name}", which shadows a global`)];
}

const MAX_LINES = 300;

/** Tables of data: they grow by rows. */
const DATA = ["bench/src/chaos/poison/secret-corpus.ts", "packages/memory/src/search/same-meaning.ts"];

/** Files that want to be split. Data and tests may be longer. */
export function checkLength(path: string, text: string): string[] {
  const lines = text.split("\n").length - 1;
  const isTest = path.endsWith(".test.ts") || /(^|\/)(test|testing)\//.test(path);
  const mayBeLong = isTest || DATA.some((data) => path.startsWith(data));
  return lines > MAX_LINES && !mayBeLong ? [`${path}: has ${lines} lines; ${MAX_LINES} is the most`] : [];
}
