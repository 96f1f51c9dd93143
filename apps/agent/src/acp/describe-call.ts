import { isAbsolute, resolve } from "node:path";
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { toolTitle } from "../terminal/views/view-item.ts";
import type { ChangedFile } from "../terminal/watch-tools.ts";

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  recall: "read",
  Skill: "read",
  Edit: "edit",
  Write: "edit",
  Glob: "search",
  Grep: "search",
  Bash: "execute",
  BashOutput: "execute",
  KillBash: "execute",
  WebFetch: "fetch",
  WebSearch: "search",
  EnterPlan: "switch_mode",
  ExitPlan: "switch_mode",
  Agent: "think",
};

/** Describes a tool call for editors: its kind, a title, its files and its input. */
export function describeCall(
  name: string,
  input: unknown,
  folder: string,
): Required<Pick<ToolCall, "name" | "title" | "kind" | "locations" | "rawInput">> {
  const kind = KINDS[name] ?? "other";
  return { name, title: titleOf(name, kind, input), kind, locations: locationsOf(input, folder), rawInput: input };
}

/** Editors show the titles of commands and edits as plain text, and other titles as Markdown. */
function titleOf(name: string, kind: ToolKind, input: unknown): string {
  const about = toolTitle(name, input);
  if (kind === "execute" && name === "Bash" && about !== "") return about;
  if (about === "") return name;
  return kind === "edit" ? `${name} ${about}` : `${name} ${codeSpan(about)}`;
}

function locationsOf(input: unknown, folder: string): ToolCallLocation[] {
  const { file_path, path, offset } = fieldsOf(input);
  const named = [file_path, path].find((value) => typeof value === "string");
  if (named === undefined) return [];
  const line = typeof offset === "number" && offset > 0 ? { line: offset } : {};
  return [{ path: absolute(named, folder), ...line }];
}

/**
 * Larger files are shown as the lines around their change, because editors load each diff into one buffer and some
 * fail.
 */
const WHOLE_CHARACTERS = 256_000;
const LINES_AROUND = 3;

/** Shows a changed file as a diff. */
export function diffContent({ path, before, after }: ChangedFile, folder: string): ToolCallContent {
  const isLarge = (before?.length ?? 0) + after.length > WHOLE_CHARACTERS;
  const [oldText, newText] = isLarge && before !== undefined ? aroundChange(before, after) : [before ?? null, after];
  return { type: "diff", path: absolute(path, folder), oldText, newText };
}

/** The differing lines of both texts, with a few equal lines around them. */
function aroundChange(before: string, after: string): readonly [string, string] {
  const [olds, news] = [before.split("\n"), after.split("\n")];
  const most = Math.min(olds.length, news.length);
  let start = 0;
  while (start < most && olds[start] === news[start]) start++;
  let end = 0;
  while (end < most - start && olds.at(-1 - end) === news.at(-1 - end)) end++;
  const [from, left] = [Math.max(0, start - LINES_AROUND), Math.max(0, end - LINES_AROUND)];
  const part = (lines: readonly string[]): string => lines.slice(from, lines.length - left).join("\n");
  return [part(olds), part(news)];
}

/** Shows text verbatim. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text: fenced(text) } };
}

export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

function codeSpan(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function absolute(path: string, folder: string): string {
  return isAbsolute(path) ? path : resolve(folder, path);
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
}
