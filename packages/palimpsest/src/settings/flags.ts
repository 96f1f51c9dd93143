// Reads settings from a feature-flag service, such as an OpenFeature client.

import { SETTINGS } from "./definitions.ts";
import type { SettingName } from "./settings.ts";

/** Reads every setting from a flag service. The flag of a setting has the prefix `palimpsest.`. Never rejects. */
export async function readFlags(client: FlagClient): Promise<ReadonlyMap<SettingName, FlagReading>> {
  const names = Object.keys(SETTINGS) as SettingName[];
  return new Map(await Promise.all(names.map(async (name) => [name, await readFlag(client, name)] as const)));
}

/** `failed`: the service did not answer, so its previous values still apply. */
export type FlagReading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "absent" }
  | { readonly kind: "unusable"; readonly because: string }
  | { readonly kind: "failed"; readonly because: string };

async function readFlag(client: FlagClient, name: SettingName): Promise<FlagReading> {
  try {
    const { details, isAbsent } = await readDetails(client, name);
    if (details.errorCode !== undefined) return readError(details, details.errorCode);
    return isAbsent ? { kind: "absent" } : { kind: "value", value: details.value };
  } catch (error) {
    return { kind: "failed", because: error instanceof Error ? error.message : String(error) };
  }
}

interface FlagAnswer {
  readonly details: FlagDetails<unknown>;
  readonly isAbsent: boolean;
}

async function readDetails(client: FlagClient, name: SettingName): Promise<FlagAnswer> {
  const flag = `palimpsest.${name}`;
  switch (SETTINGS[name]["type"]) {
    case "string": {
      const details = await client.getStringDetails(flag, "");
      return { details, isAbsent: details.value === "" };
    }
    case "integer":
    case "number": {
      const details = await client.getNumberDetails(flag, Number.NaN);
      return { details, isAbsent: Number.isNaN(details.value) };
    }
    default: {
      const details = await client.getObjectDetails(flag, ABSENT);
      return { details, isAbsent: (details.value as Partial<Absent> | null)?.absent === true };
    }
  }
}

type Absent = { readonly absent: true };
const ABSENT: Absent = { absent: true };

/** Reads an answer with an error code of OpenFeature. */
function readError({ errorMessage }: FlagDetails<unknown>, code: string): FlagReading {
  const because = errorMessage ? `${code}: ${errorMessage}` : code;
  if (code === "FLAG_NOT_FOUND") return { kind: "absent" };
  return { kind: code === "TYPE_MISMATCH" || code === "PARSE_ERROR" ? "unusable" : "failed", because };
}

/** The part of an OpenFeature client that the engine uses, so that a fleet can connect its own flag service. */
export interface FlagClient {
  getStringDetails(flag: string, absent: string): Promise<FlagDetails<string>>;
  getNumberDetails(flag: string, absent: number): Promise<FlagDetails<number>>;
  getObjectDetails(flag: string, absent: Absent): Promise<FlagDetails<unknown>>;
}

/** The service's answer for one flag. A plain value would hide a failure, because an OpenFeature client never rejects. */
export interface FlagDetails<Value> {
  readonly value: Value;
  readonly errorCode?: string;
  readonly errorMessage?: string;
}
