import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "../packages.ts";

export interface EntryPoint {
  /** As a user imports it: `palimpsest/anthropic`. */
  readonly name: string;
  /** The source file, as an absolute path. */
  readonly file: string;
}

/** Every subpath of the published packages that has TypeScript behind it. */
export function entryPoints(root: string): readonly EntryPoint[] {
  return globSync("{packages,adapters,apps}/*/package.json", { cwd: root })
    .sort()
    .flatMap((path) => {
      const { name, private: isPrivate, exports = {} } = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
      return Object.entries(isPrivate ? {} : exports).flatMap(([subpath, target]) => {
        const source = typeof target === "string" ? undefined : target["palimpsest-source"];
        return source === undefined ? [] : [{ name: join(name, subpath), file: join(root, dirname(path), source) }];
      });
    });
}
