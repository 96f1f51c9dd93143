/** The texts of modules by their names, such as `main.js`. */
export type ModuleTexts = ReadonlyMap<string, string>;

const IMPORT = /^import \{([^}]*)\} from "\.\/([\w-]+\.js)";$/gm;
const EXPORT = /^export (async function|function|class|const) (\w+)/gm;

/**
 * Links plain modules into one: a page that is opened from a disk may not load others. Each module keeps its own scope, and the first
 * one stands last, at the top, so that it may wait. Only the forms of import and export that our page uses are understood.
 */
export function linkModules(modules: ModuleTexts, first: string): string {
  const linked = new Map<string, string>();
  const link = (name: string, by: readonly string[]): void => {
    if (linked.has(name)) return;
    if (by.includes(name)) throw new Error(`Modules in a circle: ${[...by, name].join(", ")}`);
    const text = modules.get(name);
    if (text === undefined) throw new Error(`There is no module ${name}, which ${by.at(-1)} imports.`);
    for (const [, , imported] of text.matchAll(IMPORT)) link(imported!, [...by, name]);
    linked.set(name, name === first ? `{\n${plain(name, text)}\n}` : asFunction(name, text));
  };
  link(first, []);
  return `${[...linked.values()].join("\n")}\n`;
}

function asFunction(name: string, text: string): string {
  const names = [...text.matchAll(EXPORT)].map(([, , exported]) => exported);
  return `const ${variableOf(name)} = (() => {\n${plain(name, text)}\nreturn { ${names.join(", ")} };\n})();`;
}

/** The text of a module without the words that only modules may have. */
function plain(name: string, text: string): string {
  const result = text
    .replaceAll(IMPORT, (_, names: string, from: string) => `const {${names}} = ${variableOf(from)};`)
    .replaceAll(EXPORT, "$1 $2");
  const rest = /^(?:import|export)\b.*$/m.exec(result);
  if (rest !== null) throw new Error(`${name} has a form of import or export that cannot be linked: ${rest[0]}`);
  return result.trimEnd();
}

function variableOf(name: string): string {
  return `module_${name.replaceAll(/\W/g, "_")}`;
}
