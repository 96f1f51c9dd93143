import { SETTINGS, type SettingName } from "./settings.ts";

/** The part of an OpenFeature client that is used: a fleet plugs in the flag service it has. */
export interface FlagClient {
  getStringValue(flag: string, absent: string): Promise<string>;
  getNumberValue(flag: string, absent: number): Promise<number>;
  getObjectValue(flag: string, absent: Absent): Promise<unknown>;
}

type Absent = { readonly absent: true };
const ABSENT: Absent = { absent: true };

/**
 * Asks a flag service for every setting; a flag is named like its setting, with `palimpsest.` before it. Settings that the
 * service does not have are left out, and a service that fails is one without flags.
 */
export async function readFlags(client: FlagClient): Promise<Readonly<Record<string, unknown>>> {
  const names = Object.keys(SETTINGS) as SettingName[];
  const values = await Promise.all(names.map((name) => readFlag(client, name).catch(() => undefined)));
  return Object.fromEntries(
    names.map((name, index) => [name, values[index]]).filter(([, value]) => value !== undefined),
  );
}

async function readFlag(client: FlagClient, name: SettingName): Promise<unknown> {
  const flag = `palimpsest.${name}`;
  switch (SETTINGS[name].is.kind) {
    case "choice":
    case "text":
      return (await client.getStringValue(flag, "")) || undefined;
    case "count":
    case "percent":
    case "amount": {
      const value = await client.getNumberValue(flag, Number.NaN);
      return Number.isNaN(value) ? undefined : value;
    }
    case "names":
    case "counts-by-name": {
      const value = await client.getObjectValue(flag, ABSENT);
      return value === ABSENT ? undefined : value;
    }
  }
}
