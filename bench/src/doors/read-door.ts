import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const ADOPT = /\/\/ adopt$/;

/** The lines of a door's file that an application would add. */
export function countLines(url: string): number {
  return readFileSync(new URL(url), "utf8")
    .split("\n")
    .filter((line) => ADOPT.test(line.trimEnd())).length;
}

/** Names and versions of installed packages. Not all of them let their manifest be imported. */
export function versionsOf(url: string, names: readonly string[]): readonly string[] {
  const { resolve } = createRequire(url);
  return names.map((name) => {
    const manifest = (resolve.paths(name) ?? [])
      .map((folder) => join(folder, name, "package.json"))
      .find((path) => existsSync(path));
    if (manifest === undefined) throw new Error(`${name} is not installed. Run npm ci.`);
    return `${name}@${JSON.parse(readFileSync(manifest, "utf8")).version}`;
  });
}
