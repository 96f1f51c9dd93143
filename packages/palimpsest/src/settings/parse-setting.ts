import { checkSetting, isSettingName } from "./check-setting.ts";
import { SETTINGS } from "./definitions.ts";
import { settingFromText } from "./setting-text.ts";
import type { Settings } from "./settings.ts";

export type ParsedSetting =
  | { readonly kind: "setting"; readonly settings: Partial<Settings> }
  | { readonly kind: "problem"; readonly message: string };

/** Parses `NAME=VALUE`, the form of a setting on a command line. */
export function parseSetting(text: string): ParsedSetting {
  const at = text.indexOf("=");
  if (at < 1) return { kind: "problem", message: "Write the name of a setting, =, and its value." };
  const name = text.slice(0, at).trim();
  const value = isSettingName(name) ? settingFromText(SETTINGS[name].is, text.slice(at + 1)) : text.slice(at + 1);
  const message = checkSetting(name, value, "");
  return message === undefined ? { kind: "setting", settings: { [name]: value } } : { kind: "problem", message };
}
