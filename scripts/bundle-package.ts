import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import type { Manifest, Package } from "./packages.ts";

/**
 * Code that several subpaths need. Each file takes 0.5 ms or more to load: with one for what most of them need, and one for what
 * only users of a session need, `npm run -s lab -- import` reads 3 files for `palimpsest` instead of 33, and takes 28 ms of the processor instead of 40.
 */
const SHARED_FILES = [
  { name: "common", minShareCount: 5, priority: 2 },
  {
    name: "engine",
    minShareCount: 2,
    priority: 1,
    test: /\/palimpsest\/src\/(clear|compact|forks|media|notes|policy|schema|session|settings|state|store-results|turn|view)\//,
  },
];

/**
 * One file of code for each subpath, command and thread of a package, and shared ones for the code that several of them need. A package
 * that is a dependency of ours stays an import; any other that is imported, a development dependency, becomes part of the code,
 * and its license goes with it.
 */
export async function bundlePackage({ folder, manifest }: Package): Promise<void> {
  const { exports = {}, bin = {}, threads = [] } = manifest;
  const subpaths = Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : [target["default"]!]));
  const entries = [...subpaths, ...Object.values(bin), ...threads].map((path) =>
    relative("dist", path).replace(/\.js$/, ""),
  );
  const installed = installedWith(manifest);
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(folder, "src", `${entry}.ts`)])),
    external: (id, importer) => isBuiltin(id) || (!isBundled(importer) && isAmong(installed, id)),
    platform: "node",
  });
  const { output } = await build.write({
    dir: join(folder, "dist"),
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js",
    codeSplitting: { groups: SHARED_FILES },
    // They are in the declarations and in the sources. Without them a fifth less is read at every start.
    comments: { legal: true, annotation: true, jsdoc: false },
    sourcemap: true,
    // The sources are in the package.
    sourcemapExcludeSources: true,
  });
  writeLicenses(
    join(folder, "dist", "LICENSES.txt"),
    output.filter((part) => part.type === "chunk"),
  );
}

/** A file of a package that became part of the code. So does what it imports: one file loads faster than fifty. */
function isBundled(importer: string | undefined): boolean {
  return importer?.includes("/node_modules/") === true;
}

function isAmong(names: readonly string[], id: string): boolean {
  return names.some((name) => id === name || id.startsWith(`${name}/`));
}

/** The packages that are there when this one is installed, or that its user brings. */
function installedWith({ name, dependencies, peerDependencies, optionalDependencies }: Manifest): readonly string[] {
  return [name, ...Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })];
}

function writeLicenses(file: string, chunks: readonly OutputChunk[]): void {
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => id.includes("/node_modules/"));
  const folders = [...new Set(modules.map(packageFolder))].sort();
  if (folders.length === 0) return;
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const text = globSync("LICEN[CS]E*", { cwd: folder }).map((found) => readFileSync(join(folder, found), "utf8"));
    if (text.length === 0 && license === undefined) throw new Error(`${name} is bundled, and has no license.`);
    return `${name} ${version} (${license})\n\n${text.join("\n")}`;
  });
  writeFileSync(file, `The code in this folder contains these packages.\n\n${texts.join("\n\n---\n\n")}`);
}

/** The folder of the package that a module belongs to. */
function packageFolder(module: string): string {
  let folder = dirname(module);
  const isPackage = () => /node_modules\/(@[^/]+\/)?[^/@]+$/.test(folder) && existsSync(join(folder, "package.json"));
  while (!isPackage()) folder = dirname(folder);
  return folder;
}
