// Settings in a JSON file.

import { InvalidOptionError } from "../errors.ts";
import type { SettingsFile } from "../state/options.ts";

/**
 * Reads settings from a JSON file, for `openSession({ settingsFrom: { file } })`. A file that does not exist sets
 * nothing.
 */
export function settingsFile(path: string): SettingsFile {
  if (typeof path !== "string") throw new InvalidOptionError("settingsFile(path)", path, "the path of a JSON file");
  return {
    name: path,
    async read() {
      // Do not import the module: the root of the package also loads without Node, and reads files only on request.
      const files = process.getBuiltinModule("node:fs/promises");
      try {
        return await files.readFile(path, "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}
