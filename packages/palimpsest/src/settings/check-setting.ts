import { SETTINGS } from "./definitions.ts";
import { nearestName } from "./nearest-name.ts";
import type { SettingKind } from "./setting-kind.ts";
import type { SettingName } from "./settings.ts";

/** Returns why a value is not valid for a setting, in sentences for the person who gave it; undefined if it is valid. */
export function checkSetting(name: string, value: unknown, where: string): string | undefined {
  if (!isSettingName(name)) return `Unknown setting ${JSON.stringify(name)}${where}. ${hintFor(name)}`;
  const { is } = SETTINGS[name];
  if (fits(is, value)) return undefined;
  return `Setting "${name}" is ${shown(value)}${where}. It must be ${neededFor(is)}.`;
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function hintFor(name: string): string {
  const meant = nearestName(name, Object.keys(SETTINGS));
  return meant === undefined ? "docs/defaults.md lists all settings." : `Did you mean "${meant}"?`;
}

function fits(is: SettingKind, value: unknown): boolean {
  switch (is.kind) {
    case "choice":
      return is.of.includes(value as string);
    case "count":
      return Number.isSafeInteger(value) && (value as number) >= is.atLeast;
    case "percent":
      return typeof value === "number" && value > 0 && value <= 100;
    case "text":
      return typeof value === "string";
    case "amount":
      return Number.isFinite(value) && (value as number) >= 0;
    case "names":
      return Array.isArray(value) && value.every((name) => typeof name === "string");
    case "counts-by-name":
      return isRecord(value) && Object.values(value).every((one) => Number.isSafeInteger(one) && (one as number) >= 0);
  }
}

function neededFor(is: SettingKind): string {
  switch (is.kind) {
    case "choice":
      return `one of ${is.of.map((word) => JSON.stringify(word)).join(", ")}`;
    case "count":
      return `a whole number, at least ${is.atLeast}`;
    case "percent":
      return "a number above 0 and at most 100";
    case "text":
      return "a text";
    case "amount":
      return "a number, at least 0";
    case "names":
      return "a list of names";
    case "counts-by-name":
      return "an object with a whole number, at least 0, for each name";
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MAX_SHOWN = 80;

function shown(value: unknown): string {
  // A variable without a number has become NaN, which JSON cannot express.
  if (typeof value === "number") return String(value);
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = String(value);
  }
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
