import { posix } from "node:path";
import { parseSync } from "oxc-parser";
import { findSnippets } from "../../scripts/snippets.ts";

/** Public names that no TypeScript block of a page imports from the package and uses. */
export function checkExamples(page: string, markdown: string, packageName: string, names: readonly string[]): string[] {
  const shown = new Set(findSnippets(page, markdown).flatMap(({ code }) => usedNames(code, packageName)));
  return names.filter((name) => !shown.has(name)).map((name) => `${page}: has no example of "${name}"`);
}

function usedNames(code: string, packageName: string): string[] {
  const { staticImports } = parseSync("snippet.ts", code).module;
  const body = staticImports.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), code);
  return staticImports
    .filter(({ moduleRequest }) => moduleRequest.value === packageName)
    .flatMap(({ entries }) => entries.flatMap(({ importName }) => importName.name ?? []))
    .filter((name) => new RegExp(`\\b${name}\\b`).test(body));
}

/** Reads the text of a source file; throws if there is none. */
type ReadText = (path: string) => string;

/** Public names whose declaration, behind any re-exports, has no doc comment right before it. */
export function checkComments(entry: string, readText: ReadText): string[] {
  const { staticExports } = parseSync(entry, readText(entry)).module;
  const names = staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName }) => exportName.name ?? []));
  return names.flatMap((name) => {
    const { path, hasComment } = findDeclaration(entry, name, readText);
    return hasComment ? [] : [`${path}: "${name}" has no doc comment`];
  });
}

interface FoundDeclaration {
  readonly path: string;
  readonly hasComment: boolean;
}

function findDeclaration(path: string, name: string, readText: ReadText): FoundDeclaration {
  const text = readText(path);
  const { module, comments } = parseSync(path, text);
  for (const { start, entries } of module.staticExports) {
    const entry = entries.find(({ exportName }) => exportName.name === name);
    if (entry === undefined) continue;
    if (entry.moduleRequest !== null) {
      const target = posix.join(posix.dirname(path), entry.moduleRequest.value);
      return findDeclaration(target, entry.importName.name ?? name, readText);
    }
    const hasComment = comments.some(({ type, value, end }) => {
      return type === "Block" && value.startsWith("*") && end < start && isGap(text.slice(end, start));
    });
    return { path, hasComment };
  }
  return { path, hasComment: false };
}

/** Directives to tools may stand between a comment and its declaration. */
function isGap(between: string): boolean {
  return between.split("\n").every((line) => line.trim() === "" || line.startsWith("// biome-ignore"));
}
