import { join } from "node:path";
import { callTool, type Words } from "@palimpsest/provider-simulator";

/** A tool as a request offers it, in one form for all services. */
export interface OfferedTool {
  readonly name: string;
  readonly properties: Readonly<Record<string, { readonly type?: unknown; readonly default?: unknown }>>;
  readonly required: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const PATHS = ["path", "file_path", "filePath", "absolute_path", "absolutePath", "target_file"];
const COMMANDS = ["command", "cmd"];
const QUERIES = ["search", "query", "pattern"];
const READS = /^(read_file|read|view_file|view|readFile)$/i;
const SHELLS = /^(shell|bash|exec_command|shell_command|run_shell_command|run_command|local_shell)$/i;
/** Those by which earlier content of the conversation can be looked for, or files in which an agent may have kept it. */
const SEARCHES = /recall|grep|search_file_content|search_text|memory_search|search_memory|search_history/i;

/** What a search finds is looked at up to here. */
const LOOKS = 4;

/** The tools of a request to any of the services. */
export function offeredTools({ tools }: Fields): readonly OfferedTool[] {
  if (!Array.isArray(tools)) return [];
  const all = (tools as readonly Fields[]).flatMap((tool): readonly Fields[] => {
    if (Array.isArray(tool["functionDeclarations"])) return tool["functionDeclarations"] as readonly Fields[];
    return [(tool["function"] as Fields | undefined) ?? tool];
  });
  return all.flatMap((tool) => {
    const schema = (tool["input_schema"] ?? tool["parametersJsonSchema"] ?? tool["parameters"] ?? {}) as Fields;
    if (typeof tool["name"] !== "string") return [];
    const properties = (schema["properties"] ?? {}) as OfferedTool["properties"];
    return [{ name: tool["name"], properties, required: (schema["required"] ?? []) as readonly string[] }];
  });
}

/** A call that reads a file, by whatever tool is offered for it: a reader, or a shell. */
export function readCall(tools: readonly OfferedTool[], workspace: string, path: string): Words | undefined {
  const file = join(workspace, path);
  const reader = tools.find(({ name, properties }) => READS.test(name) && nameOf(properties, PATHS) !== undefined);
  if (reader !== undefined) return call(reader, nameOf(reader.properties, PATHS)!, file);
  const shell = tools.find(({ name, properties }) => SHELLS.test(name) && nameOf(properties, COMMANDS) !== undefined);
  if (shell === undefined) return undefined;
  const command = nameOf(shell.properties, COMMANDS)!;
  const isList = shell.properties[command]?.type === "array";
  return call(shell, command, isList ? ["cat", file] : `cat ${file}`);
}

/** A call for each tool that finds earlier content by words. `cue` is a service, and two words that follow each other. */
export function searchCalls(tools: readonly OfferedTool[], cue: string): readonly Words[] {
  const pattern = /"(\w+) (\w+)"/.exec(cue);
  return tools.flatMap((tool) => {
    const query = nameOf(tool.properties, QUERIES);
    if (!SEARCHES.test(tool.name) || query === undefined) return [];
    // A search for patterns goes over text as it is, in which the two words are joined in several ways.
    return [call(tool, query, query === "pattern" ? `${pattern?.[1]}[-_ ]${pattern?.[2]}` : cue)];
  });
}

/** Calls that look into the entries that a search has named, where a tool does both. */
export function lookCalls(tools: readonly OfferedTool[], cue: string, found: string): readonly Words[] {
  const word = /"(\w+)/.exec(cue)?.[1] ?? cue;
  const tool = tools.find(({ name, properties }) => SEARCHES.test(name) && "entry" in properties);
  if (tool === undefined) return [];
  // Its own question is among what it finds.
  const lines = found.split("\n").filter((line) => !line.includes("[call of"));
  const entries = lines.flatMap((line) => /^entry (\d+)/.exec(line)?.[1] ?? []).slice(0, LOOKS);
  return entries.map((entry) => callTool(tool.name, { entry: Number(entry), search: word }));
}

function nameOf(properties: OfferedTool["properties"], names: readonly string[]): string | undefined {
  return names.find((name) => name in properties);
}

/** With something for all that a tool insists on: its defaults, where it has them. */
function call({ name, properties, required }: OfferedTool, property: string, value: unknown): Words {
  const rest = required
    .filter((other) => other !== property)
    .map((other) => [other, properties[other]?.default ?? fillerOf(properties[other]?.type)] as const);
  return callTool(name, { ...Object.fromEntries(rest), [property]: value });
}

function fillerOf(type: unknown): unknown {
  if (type === "number" || type === "integer") return 1;
  if (type === "boolean") return false;
  return type === "array" ? [] : "the next part";
}
