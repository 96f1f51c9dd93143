import { readFile } from "node:fs/promises";
import { type FlagClient, readFlags } from "../settings/read-flags.ts";
import { type Environment, type ResolvedSettings, resolveSettings } from "../settings/resolve-settings.ts";

/** Where a session's settings come from; what they are and their defaults: docs/defaults.md. */
export interface SettingsSource {
  /** Values by name, or the path of a JSON file that holds them. @default none */
  readonly file?: string | Readonly<Record<string, unknown>>;
  /** An OpenFeature client. @default none */
  readonly flags?: FlagClient;
  /** @default the process's environment */
  readonly environment?: Environment;
}

/** Reads all sources. A file that is not there holds nothing; one that is no JSON is told like a value that does not fit. */
export async function readSettings(source: SettingsSource = {}): Promise<ResolvedSettings> {
  const { file, flags, environment = process.env } = source;
  return resolveSettings({
    file: typeof file === "string" ? await readJson(file) : file,
    ...(flags === undefined ? {} : { flags: await readFlags(flags) }),
    environment,
  });
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : `${path}: ${(error as Error).message}`;
  }
}
