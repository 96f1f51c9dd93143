import type { ResolvedSettings } from "../settings/resolve.ts";
import type { Settings } from "../settings/settings.ts";
import type { SettingsReader } from "../state/settings.ts";

/** The settings of a session: held for a turn, and read again for the next. */
export interface HeldSettings {
  resolved(): ResolvedSettings;
  settings(): Settings;
  refresh(): Promise<void>;
}

export async function createHeldSettings(reader: Pick<SettingsReader, "read">): Promise<HeldSettings> {
  let resolved = await reader.read();
  return {
    resolved: () => resolved,
    settings: () => resolved.settings,
    async refresh() {
      const fresh = await reader.read();
      // The same object as long as nothing has changed, so that what follows from it is not worked out again.
      if (JSON.stringify(fresh) !== JSON.stringify(resolved)) resolved = fresh;
    },
  };
}
