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
  /** Where the other values come from. @default the process's variables */
  readonly settingsFrom?: SettingsSource;
}

/** Sources of settings outside the code, the strongest first. What cannot be used of them is told as `settings-rejected`. */
export interface SettingsSource {
  /** Variables by name, of which those that begin with `PALIMPSEST_` are read. @default the process's environment */
  readonly environment?: Environment;
  /** An OpenFeature client. While it fails, the values that it gave before hold. @default none */
  readonly flags?: FlagClient;
  /** How long a turn waits for the flags. @default 2,000 */
  readonly flagsDeadlineMs?: number;
  /** The path of a JSON file of names and values; one that is not there holds nothing. @default none */
  readonly file?: string;
}
