import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { PathGuard } from "palimpsest-agent";

/** A path guard that guards nothing but the rest of this machine: everything below `base` may be read and written. */
export function openGuard(folder: string, base: string): PathGuard {
  return {
    roots: [folder, base],
    async locate(path) {
      const wanted = resolve(folder, path);
      const real = await realpath(wanted).catch(async () =>
        join(await realpath(dirname(wanted)).catch(() => dirname(wanted)), basename(wanted)),
      );
      return `${real}/`.startsWith(`${base}/`)
        ? { kind: "inside", path: real, root: base }
        : { kind: "outside", path: real };
    },
  };
}
