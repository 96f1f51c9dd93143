import { cleanText } from "../../text/clean-text.ts";

/** Describes a tool call in one line: the command, the file, the pattern or the task; else its input. */
export function toolTitle(name: string, input: unknown): string {
  const fields = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const { command, file_path, path, pattern, question, url, id, entry, search, description } = fields;
  const all = [command, file_path, pattern, path, question, url, id, search, description];
  const main = all.find((value) => typeof value === "string");
  const text = main ?? (entry === undefined ? restOf(name, input) : `entry ${entry}`);
  return cleanText(String(text)).replaceAll(/\s+/g, " ").trim();
}

function restOf(name: string, input: unknown): string {
  if (name === "ExitPlan" || name === "EnterPlan") return "";
  const json = JSON.stringify(input) ?? "";
  return json === "{}" ? "" : json;
}
