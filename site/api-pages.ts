/**
 * Writes one markdown page for each entry point of the published packages, from its doc comments, and fails if a public name has none.
 * Runs in this folder, with the TypeScript that TypeDoc needs: node api-pages.ts FOLDER [--check]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application, type DeclarationReflection } from "typedoc";
import { entryPoints } from "../scripts/site/entry-points.ts";

const [out] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const root = join(import.meta.dirname, "..");
const entries = entryPoints(root);
// Only what the entry points reach is read: with tests and benches it would take twice as long.
const tsconfig = join(import.meta.dirname, "node_modules", ".tsconfig-of-entries.json");
writeFileSync(
  tsconfig,
  JSON.stringify({
    extends: join(root, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(root, "node_modules/@types")] },
    include: [],
    files: entries.map(({ file }) => file),
  }),
);
const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: entries.map(({ file }) => file),
  basePath: root,
  ...(out !== undefined && { out }),
  tsconfig,
  // `npm run check` has checked the types, with the compiler of the project.
  skipErrorChecking: true,
  readme: "none",
  disableSources: true,
  excludeExternals: true,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  logLevel: "Error",
});
// Options of the plugin, which the types of TypeDoc do not know.
for (const [name, value] of Object.entries({
  outputFileStrategy: "modules",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
  entryFileName: "index",
})) {
  app.options.setValue(name as never, value as never);
}
const project = await app.convert();
if (project === undefined) throw new Error("TypeDoc could not read the sources.");
const modules = project.children ?? [];
const undocumented = modules.flatMap((module) =>
  (module.children ?? []).filter((name) => !isDocumented(name)).map(({ name }) => `${module.name}: ${name}`),
);
const names = modules.reduce((sum, module) => sum + (module.children?.length ?? 0), 0);
console.log(`${names} public names, ${undocumented.length} without a doc comment`);
for (const line of undocumented) console.log(`Write a doc comment: ${line}`);
for (const module of modules) {
  module.name = entries.find(({ file }) => file.replace(/(\/index)?\.ts$/, "") === join(root, module.name))!.name;
}
project.name = "API";
if (out !== undefined) await app.generateOutputs(project);
process.exitCode = undocumented.length > 0 || app.logger.hasErrors() ? 1 : 0;

/** A name that one entry point passes on from another is documented there. */
function isDocumented(name: DeclarationReflection): boolean {
  if (name.isReference()) return true;
  return name.hasComment() || (name.signatures ?? []).some((signature) => signature.hasComment());
}
