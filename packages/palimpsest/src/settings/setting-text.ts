import type { SettingKind } from "./setting-kind.ts";

/** Parses the text of a variable or a command line into a value. It does not check whether the value is valid. */
export function settingFromText({ kind, ...rest }: SettingKind, text: string): unknown {
  if (kind === "count" || kind === "percent" || kind === "amount") return text.trim() === "" ? text : Number(text);
  if (kind === "names") return text.split(",").map((name) => name.trim());
  if (kind === "counts-by-name") {
    return Object.fromEntries(text.split(",").map((pair) => [pair.split("=")[0]!.trim(), Number(pair.split("=")[1])]));
  }
  const onOff = "of" in rest && rest.of.includes("on") ? toBoolean(text) : undefined;
  return onOff === undefined ? text : onOff ? "on" : "off";
}

function toBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (["1", "true", "yes", "on"].includes(word)) return true;
  return ["0", "false", "no", "off"].includes(word) ? false : undefined;
}
