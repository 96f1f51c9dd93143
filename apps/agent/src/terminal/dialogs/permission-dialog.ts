import type { Dialog, ExactLine, Option } from "../../extension/slash-command.ts";
import type { AllowScope, Asker, PermissionQuestion } from "../../permissions/permission-call.ts";
import { type CodeState, highlight } from "../../text/highlight.ts";
import { type Line, plain } from "../../text/line.ts";
import { markHidden, visibleLine, visibleText } from "../../text/visible-text.ts";
import { viewDiff } from "../views/view-item.ts";
import type { FileChange } from "./plan-file-change.ts";

interface PermissionDialogOptions {
  /** What it does to a file, if it is a change of one. */
  readonly change: FileChange | undefined;
  /** The project's. */
  readonly folder: string;
}

/** Asks whether a call may run: all of it is shown, and yes can be said once the end of it was on the screen. */
export function permissionDialog(question: PermissionQuestion, { change, folder }: PermissionDialogOptions): Dialog {
  const { asker, reason, allowedBy } = question;
  const heading = change === undefined ? [] : [plain(change.heading, { weight: "bold" }), []];
  return {
    title: titleOf(question, change),
    body: [plain(`${askerInWords(asker)} ${visibleText(reason)}`, { color: "quiet" }), [], ...heading],
    exact: exactLines(question, change),
    options: [
      { value: "once", label: "Yes, this time", from: "all-seen" },
      ...(allowedBy.length === 0 ? [] : [alwaysOption(allowedBy, folder)]),
      { value: "deny", label: "No" },
    ],
    words: "No, and tell the model why",
    escapeDoes: "denies and stops",
  };
}

const TITLES: Readonly<Record<string, string>> = {
  Bash: "Run this command?",
  Edit: "Change this file?",
  WebFetch: "Fetch this page?",
  WebSearch: "Search the web for this?",
};

function titleOf({ call: { name }, asker }: PermissionQuestion, change: FileChange | undefined): string {
  if (asker.tool.kind === "server") {
    const { name: server } = asker.tool;
    return visibleText(`Call ${name.replace(`mcp__${server}__`, "")} on the MCP server ${server}?`);
  }
  if (asker.tool.kind === "extension") return visibleText(`Run ${name} of the extension ${asker.tool.name}?`);
  if (change?.kind === "overwrites") return "Overwrite this file?";
  if (change?.kind === "creates") return "Create this file?";
  return TITLES[name] ?? visibleText(`Let ${name} run?`);
}

const AGENTS: Readonly<Record<Asker["agent"]["kind"], string>> = {
  main: "the main agent",
  subagent: "the subagent",
  background: "the background agent",
  fork: "the fork",
  teammate: "the teammate",
};

function askerInWords({ agent, tool }: Asker): string {
  const who = agent.kind === "main" ? AGENTS.main : `${AGENTS[agent.kind]} ${visibleText(agent.name)}`;
  const claims = tool.kind === "server" && tool.claims === "reads-only";
  return `Asked by ${who}.${claims ? " The server says that this tool only reads; that is not checked." : ""}`;
}

/** Fields that stand in the heading and the difference. */
const IN_CHANGE = ["file_path", "content", "old_string", "new_string"];

/** All of a call: its change or its command first, then every other field. */
function exactLines({ call, input }: PermissionQuestion, change: FileChange | undefined): readonly ExactLine[] {
  const fields = (typeof input === "object" && input !== null ? input : { input }) as Readonly<Record<string, unknown>>;
  if (change !== undefined && change.kind !== "fails") {
    return [...viewDiff(change.diff.lines), ...callFields(without(fields, IN_CHANGE))];
  }
  const { command } = fields;
  if (call.name !== "Bash" || typeof command !== "string") return callFields(fields);
  let state: CodeState = { language: "shell" };
  const toLine = (text: string): Line => {
    const { line, state: next } = highlight(visibleText(text), state);
    state = next;
    return markHidden(line);
  };
  return [...textLines(command, "", toLine), ...callFields(without(fields, ["command"]))];
}

function without(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

export const SCOPES: readonly AllowScope[] = ["session", "project", "user"];

/** Asked a second time: what is allowed from now on, and where. */
function alwaysOption(rules: readonly string[], folder: string): Option {
  return {
    value: "always",
    label: "Yes, and stop asking",
    about: visibleText(rules.join(", ")),
    from: "all-seen",
    asks: {
      title: "Stop asking? From now on this runs without a question:",
      body: [],
      exact: rules.map((rule) => ({
        lead: plain("- "),
        text: [
          { text: ruleInWords(rule), weight: "bold" },
          { text: `  (rule ${visibleText(rule)})`, color: "quiet" },
        ],
      })),
      options: [
        { value: "session", label: "Until I leave", about: "in this session, and for its agents", from: "all-seen" },
        {
          value: "project",
          label: "In this project",
          about: `in every session in ${visibleText(folder)}`,
          from: "all-seen",
        },
        { value: "user", label: "Everywhere", about: "in every session, in every project", from: "all-seen" },
      ] satisfies readonly (Option & { readonly value: AllowScope })[],
    },
  };
}

const STEP = "  ";

/**
 * Every field of a call as text, nested ones below their names. Lines of a text stand behind a bar, so that no text can look
 * like another field.
 */
function callFields(input: unknown, left = ""): readonly ExactLine[] {
  const isList = Array.isArray(input);
  const entries = Object.entries((input ?? {}) as object);
  return entries.flatMap(([key, value]) => {
    const name: Line = [
      { text: left },
      { text: isList ? "- " : `${visibleText(key).replaceAll("\n", "⟨LF⟩")}: `, color: "tool" },
    ];
    return typeof value === "object" && value !== null && Object.keys(value).length > 0
      ? [{ lead: name, text: [] }, ...callFields(value, left + STEP)]
      : valueLines(value, name, left + STEP);
  });
}

/** Lines of a text that is shown as it is. */
function textLines(
  text: string,
  left = "",
  toLine: (line: string) => Line = (line) => visibleLine(line),
): readonly ExactLine[] {
  const lead: Line = [...plain(left), { text: "│ ", color: "quiet" }];
  return text.split("\n").map((line) => ({ lead, text: toLine(line) }));
}

function valueLines(value: unknown, name: Line, left: string): readonly ExactLine[] {
  if (typeof value !== "string") return [{ lead: name, text: plain(JSON.stringify(value) ?? String(value)) }];
  if (value === "") return [{ lead: name, text: plain('""', { color: "quiet" }) }];
  if (!value.includes("\n")) return [{ lead: name, text: visibleLine(value) }];
  return [{ lead: name, text: [] }, ...textLines(value, left)];
}

const RULE = /^([\w*-]+)(?:\((.+)\))?$/s;
const SERVER_TOOL = /^mcp__(.+?)__(.+)$/;

/** What a rule allows, for a person who has never read one. */
function ruleInWords(rule: string): string {
  const [, tool, pattern] = RULE.exec(rule.trim()) ?? [];
  const [, server, name] = SERVER_TOOL.exec(tool ?? "") ?? [];
  if (server !== undefined && pattern === undefined) {
    return visibleText(
      name === "*" ? `all tools of the MCP server ${server}` : `every call of ${name} on the MCP server ${server}`,
    );
  }
  return visibleText(inWords(tool ?? rule, pattern));
}

function inWords(tool: string, pattern: string | undefined): string {
  switch (tool) {
    case "Bash":
      return pattern === undefined ? "EVERY shell command, whatever it does" : commandsInWords(pattern);
    case "Network":
      return pattern === undefined ? "the whole network, for every command and page" : `the network: ${pattern}`;
    case "Edit":
    case "Write":
      return pattern === undefined ? "every change of a file" : `every change of ${pattern}`;
    case "WebFetch":
      return pattern === undefined ? "fetching every page of the web" : `fetching pages of ${pattern}`;
    case "WebSearch":
      return pattern === undefined ? "every web search" : `every web search with ${pattern}`;
    case "Read":
      return pattern === undefined ? "reading every file" : `reading ${pattern}`;
    default:
      return pattern === undefined ? `every call of ${tool}` : `calls of ${tool} that fit ${pattern}`;
  }
}

function commandsInWords(pattern: string): string {
  const start = pattern.replace(/ \*$/, "");
  if (start.includes("*")) return `every command of the form "${pattern}", where * is anything`;
  return start === pattern ? `exactly the command "${pattern}"` : `"${start}" with any arguments`;
}
