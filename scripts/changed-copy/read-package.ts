import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../packages.ts";
import type { PackageSources } from "./near-tests.ts";

/** The folder of the package that a file belongs to: `packages/memory`. */
export function packageOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

/** Reads the sources of a package. */
export function readPackage(root: string, folder: string): PackageSources {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
  const entryPoints = Object.entries(exports).flatMap(([entry, target]) => {
    const source = typeof target === "string" ? undefined : target["palimpsest-source"];
    return source === undefined ? [] : [[entry, source] as const];
  });
  const paths = globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: root });
  const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  return { folder, name, entryPoints: new Map(entryPoints), sources };
}
