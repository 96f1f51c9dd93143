import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Names and versions of installed packages. Some packages do not export their manifest, so it is read from its file. */
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
