import { posix } from "node:path";
import { type ApiDeclaration, type DeclarationFile, readDeclarations } from "./read-declarations.ts";

export interface Subpath {
  /** What a user imports: `palimpsest/inspect`. */
  readonly name: string;
  /** The d.ts file behind it. */
  readonly file: string;
}

interface Found extends ApiDeclaration {
  readonly file: string;
}

/** The public interface of a package as one page: every name of every subpath, and the types that stand behind them. */
export function flattenApi(subpaths: readonly Subpath[], readText: (file: string) => string): string {
  const files = new Map<string, DeclarationFile>();
  const fileOf = (path: string): DeclarationFile => {
    const known = files.get(path) ?? readDeclarations(path, readText(path));
    files.set(path, known);
    return known;
  };

  /** All declarations of a name: a function has one for each overload. Those of other packages are not ours to print. */
  function find(path: string, name: string, from: "exports" | "scope"): Found[] {
    const { declarations, imports, exports } = fileOf(path);
    const exported = from === "exports" ? exports.get(name) : undefined;
    if (typeof exported === "object") return findIn(path, exported.from, exported.name);
    const local = exported ?? name;
    const own = declarations.filter((declaration) => declaration.name === local);
    const imported = imports.get(local);
    if (own.length > 0 || imported === undefined) return own.map((declaration) => ({ ...declaration, file: path }));
    return findIn(path, imported.from, imported.name);
  }

  function findIn(path: string, module: string, name: string): Found[] {
    if (!module.startsWith(".")) return [];
    const target = posix.join(posix.dirname(path), module).replace(/\.[jt]s$/, ".d.ts");
    return find(target, name, "exports");
  }

  const printed = new Map<string, string>();
  const reached: Found[] = [];
  const sections = subpaths.map(({ name: subpath, file }) => {
    const names = [...fileOf(file).exports.keys()].sort();
    const again: string[] = [];
    const texts: string[] = [];
    for (const name of names) {
      const found = find(file, name, "exports");
      reached.push(...found);
      const key = keyOf(found, name);
      if (printed.has(key)) again.push(`${name} (${printed.get(key)})`);
      else texts.push(...textsOf(name, found));
      if (!printed.has(key)) printed.set(key, subpath);
    }
    const also = again.length === 0 ? [] : [`// and: ${again.join(", ")}`];
    return `## ${subpath}\n\n${names.length} names.\n\n${fenced([...texts, ...also])}`;
  });
  const behind = new Map<string, Found[]>();
  for (const { file, references } of reached) {
    for (const reference of references) {
      const found = find(file, reference, "scope");
      const key = keyOf(found, reference);
      if (found.length === 0 || printed.has(key) || behind.has(key)) continue;
      behind.set(key, found);
      reached.push(...found);
    }
  }
  const hidden = [...behind].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, found]) => found.map(({ text }) => text));
  const rest = hidden.length === 0 ? [] : [`## Types behind them\n\nNot exported by name.\n\n${fenced(hidden)}`];
  return [...sections, ...rest].join("\n");
}

function keyOf([found]: readonly Found[], name: string): string {
  return found === undefined ? `${name} of another package` : `${found.name} ${found.file}`;
}

function textsOf(name: string, found: readonly Found[]): string[] {
  const [first] = found;
  if (first === undefined) return [`// ${name}: of another package`];
  const renamed = first.name === name ? [] : [`// as ${name}:`];
  return [...renamed, ...found.map(({ text }) => text)];
}

function fenced(texts: readonly string[]): string {
  return `\`\`\`ts no-run\n${texts.join("\n")}\n\`\`\`\n`;
}
