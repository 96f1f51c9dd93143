// Parses the text of environment variables and command lines by the schema of a setting.

import type { Schema } from "../schema/schema.ts";

/** Parses a text into a value of the schema's type, without checking the value. Text that is not a number stays text. */
export function settingFromText({ type, enum: words }: Schema, text: string): unknown {
  switch (type) {
    case "integer":
    case "number":
      return toNumber(text);
    default:
      return Array.isArray(words) && words.includes("on") ? toSwitch(text) : text;
  }
}

function toNumber(text: string): unknown {
  const value = Number(text);
  return text.trim() === "" || Number.isNaN(value) ? text : value;
}

function toSwitch(text: string): string {
  const word = text.trim().toLowerCase();
  if (["1", "true", "yes", "on"].includes(word)) return "on";
  return ["0", "false", "no", "off"].includes(word) ? "off" : text;
}
