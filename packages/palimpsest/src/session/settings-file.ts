import { readFile } from "node:fs/promises";
import { InvalidOptionError } from "../errors.ts";
import { SETTINGS } from "../settings/definitions.ts";
import type { SettingsFile } from "../state/options.ts";

/** Every setting with its default, its meaning and its values: what may stand in the file. */
export { SETTINGS };

/** A JSON file of settings on disk, for `openSession({ settingsFrom: { file } })`. A file that does not exist sets nothing. */
export function settingsFile(path: string): SettingsFile {
  if (typeof path !== "string") throw new InvalidOptionError("settingsFile(path)", path, "the path of a JSON file");
  return {
    name: path,
    async read() {
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}
