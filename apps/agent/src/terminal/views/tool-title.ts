import { visibleText } from "../../text/visible-text.ts";

/** The field that says what a call of a tool of ours is about. */
const MAIN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Bash: ["command"],
  BashOutput: ["id"],
  KillBash: ["id"],
  Read: ["file_path"],
  Edit: ["file_path"],
  Write: ["file_path"],
  Glob: ["pattern"],
  Grep: ["pattern"],
  WebFetch: ["url"],
  WebSearch: ["query"],
  AskUser: ["question"],
  Skill: ["skill"],
  Agent: ["description"],
  recall: ["entry", "search"],
  Memory: ["command"],
  ExitPlan: [],
  EnterPlan: [],
};

/** What a call is about, in one line: the command, the file, the pattern. Of tools of others, every field. */
export function toolTitle(name: string, input: unknown): string {
  const fields = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const main = MAIN_FIELDS[name]?.filter((field) => fields[field] !== undefined);
  const [field] = main ?? [];
  if (main !== undefined && (field !== undefined || MAIN_FIELDS[name]!.length === 0)) {
    return field === undefined ? "" : oneLine(field === "entry" ? `entry ${fields[field]}` : textOf(fields[field]));
  }
  const all = Object.entries(fields).map(([key, value]) => `${key}: ${textOf(value)}`);
  return oneLine(all.join(", "));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function oneLine(text: string): string {
  return visibleText(text.replaceAll(/[ \t\r\n]+/g, " ").trim());
}
