import type { FlagClient } from "../settings/read-flags.ts";
import type { Environment } from "../settings/setting-variables.ts";
import type { Settings } from "../settings/settings.ts";

/** The settings of a session; what they are, their defaults and the order of their sources: docs/defaults.md. */
export interface SettingsOptions {
  /**
   * Values by name, stronger than every other source. A name that is unknown or a value that cannot be used throws an
   * `InvalidOptionError`. @default none
   */
  readonly settings?: Partial<Settings>;
  /** Where the other values come from. @default the variables of the process, where there is one */
  readonly settingsFrom?: SettingsSource;
}

/** Sources of settings outside the code, the strongest first. What cannot be used of them is told as `settings-rejected`. */
export interface SettingsSource {
  /** Variables by name, of which those that begin with `PALIMPSEST_` are read. @default the environment of the process; none in a runtime without one */
  readonly environment?: Environment;
  /** An OpenFeature client. While it fails, the values that it gave before hold. @default none */
  readonly flags?: FlagClient;
  /** How long a turn waits for the flags. @default 2,000 */
  readonly flagsDeadlineMs?: number;
  /** A JSON object of names and values: `settingsFile(path)` of `palimpsest/settings-file`, or your own. @default none */
  readonly file?: SettingsFile;
}

/** A file of settings. It is read at the start of each turn. */
export interface SettingsFile {
  /** For messages: its path or address. */
  readonly name: string;
  /** Resolves with its text, or with undefined if there is no such file. */
  read(): Promise<string | undefined>;
}
