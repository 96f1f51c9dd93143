import type { Settings } from "palimpsest";
import { parseSetting } from "palimpsest/core";
import { UsageError } from "../workspace/usage-error.ts";

/** Engine settings as `--set NAME=VALUE` gives them; of two for one name, the later holds. */
export function toEngineSettings(given: readonly string[] = []): Partial<Settings> {
  return Object.assign(
    {},
    ...given.map((text) => {
      const read = parseSetting(text);
      if (read.kind === "problem") throw new UsageError(`--set ${text}: ${read.message}`);
      return read.settings;
    }),
  );
}
