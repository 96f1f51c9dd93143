import { parseSetting, type Settings } from "palimpsest";
import { UsageError } from "../workspace/usage-error.ts";

/** Reads the engine settings of `--set NAME=VALUE`. If a name is given twice, the last value applies. */
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
