import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";

/** A package with its sources. */
export interface PackageSources {
  /** From the repository's root: `packages/palimpsest`. */
  readonly folder: string;
  readonly name: string;
  /** The source of each entry point: `./core` is `src/core.ts`, from the package's folder. */
  readonly entryPoints: ReadonlyMap<string, string>;
  /** The texts by path, from the repository's root. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Returns the tests that reach a file of their package: those that import it themselves first, then those that reach it over others. */
export type NearTests = (file: string) => readonly string[];

export function createNearTests(owner: PackageSources): NearTests {
  const usedBy = new Map<string, string[]>();
  for (const [path, text] of owner.sources) {
    for (const used of new Set(usesOf(path, text, owner))) usedBy.set(used, [...(usedBy.get(used) ?? []), path]);
  }
  return (file) => {
    const found = new Set([file]);
    // A set goes on over what is added meanwhile: breadth first, so that the nearest come first.
    for (const one of found) for (const user of usedBy.get(one) ?? []) found.add(user);
    const beside = file.replace(/\.ts$/, ".test.ts");
    const tests = [...found].filter((path) => path.endsWith(".test.ts") && !path.endsWith(".slow.test.ts"));
    return tests.toSorted((one, other) => Number(other === beside) - Number(one === beside));
  };
}

/** The files of its package that a file imports, or names as a program that it starts. */
function usesOf(path: string, text: string, { folder, name, entryPoints, sources }: PackageSources): readonly string[] {
  const { module } = parseSync(path, text);
  const imported = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
    ),
  ];
  // Also `./thread${EXTENSION}`: as sources all are `.ts`.
  const named = Array.from(
    text.matchAll(/(?<!\bfrom )["'`](\.?[\w./-]+?)(?:\.ts|\$\{\w+\})["'`]/g),
    ([, one]) => `${one}.ts`,
  );
  return [...imported, ...named].flatMap((request) => {
    const isOwn = request === name || request.startsWith(`${name}/`);
    const entry = isOwn ? entryPoints.get(`.${request.slice(name.length)}`) : undefined;
    const used = entry === undefined ? normalize(join(dirname(path), request)) : normalize(join(folder, entry));
    return used !== path && sources.has(used) ? [used] : [];
  });
}
