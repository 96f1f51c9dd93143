import type { Provenance } from "../log/provenance.ts";
import { CALL_TOOL, TOOL_SEARCH, type ToolDefinition } from "../log/tool-definition.ts";
import { markData } from "./data-marks.ts";
import { shownTool, shownTools } from "./shown-tools.ts";
import type { ToolSearch } from "./tool-search.ts";

/** The tools of a request. */
export interface OfferedTools {
  /** Stand at the beginning of the prompt, with their schemas. */
  readonly tools: readonly ToolDefinition[];
  /** Are not in the prompt until a result of `tool_search` names them; for providers with a form for it. */
  readonly deferredTools: readonly ToolDefinition[];
}

/** The tools that stand at the beginning of a request: all that are not deferred, and what finds those that are. */
export function headTools(tools: readonly ToolDefinition[], search: ToolSearch = "native"): readonly ToolDefinition[] {
  const deferred = tools.filter(({ loading }) => loading === "deferred");
  if (deferred.length === 0) return tools;
  const head = tools.filter(({ loading }) => loading !== "deferred");
  return [...head, searchDefinition(deferred, search), ...(search === "own" ? [CALL_DEFINITION] : [])];
}

/**
 * The tools as they are sent. A tool that the conversation has brought in is deferred as it was then, whatever became of it:
 * the provider reads its definition in the place of the search, where it must not change.
 * @param loaded the tools that the conversation has brought in
 */
export function offerTools(
  tools: readonly ToolDefinition[],
  loaded: ReadonlyMap<string, ToolDefinition>,
  search: ToolSearch,
): OfferedTools {
  const head = headTools(tools, search);
  if (search === "own" || (head === tools && loaded.size === 0)) return { tools: shownTools(head), deferredTools: [] };
  const names = new Set(head.map(({ name }) => name));
  const deferred = new Map(tools.filter(({ loading }) => loading === "deferred").map((tool) => [tool.name, tool]));
  for (const [name, tool] of loaded) if (!names.has(name)) deferred.set(name, tool);
  return { tools: shownTools(head), deferredTools: [...deferred.values()].map(shownTool) };
}

/** The text that brings a tool in, where it cannot come in the provider's own form. */
export function describeTool(tool: ToolDefinition): string {
  const { name, description, inputSchema } = shownTool(tool);
  return [
    `Tool ${name}`,
    ...(description === undefined ? [] : [description]),
    `Input: ${JSON.stringify(inputSchema)}`,
  ].join("\n");
}

/** Characters of a tool's line in the list, without its name. */
const LINE_CHARACTERS = 100;

/** All texts here are part of the prompt: a changed word costs every session with deferred tools its cache. */
function searchDefinition(deferred: readonly ToolDefinition[], search: ToolSearch): ToolDefinition {
  const how = search === "native" ? "then call them like any other tool" : `then call them with ${CALL_TOOL}`;
  return {
    name: TOOL_SEARCH,
    results: "kept",
    resultSize: "bounded",
    description:
      "Loads tools. The tools listed here exist, but their descriptions and input schemas are not loaded. Load the ones " +
      `you need, several at once if you can, ${how}. Loaded tools stay loaded.\n\n${list(deferred)}`,
    inputSchema: {
      type: "object",
      properties: {
        names: { type: "array", items: { type: "string" }, description: "Names from the list." },
        query: { type: "string", description: "Words to search for in names and descriptions, if no name is obvious." },
      },
      additionalProperties: false,
    },
  };
}

const CALL_DEFINITION: ToolDefinition = {
  name: CALL_TOOL,
  description: `Calls a tool that ${TOOL_SEARCH} has loaded.`,
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "Name of the loaded tool." },
      input: { type: "object", description: "Its input, as its schema says." },
    },
    required: ["name", "input"],
    additionalProperties: false,
  },
};

/** A line for each tool. What others say about their own tools is marked, once for each of them. */
function list(tools: readonly ToolDefinition[]): string {
  const groups = Map.groupBy(tools, ({ provenance }) => JSON.stringify(provenance ?? { kind: "host" }));
  return [...groups]
    .map(([key, group]) => {
      const provenance = JSON.parse(key) as Provenance;
      const lines = group.map(toLine).join("\n");
      return provenance.kind === "host" ? lines : markData(lines, provenance);
    })
    .join("\n");
}

function toLine({ name, description = "" }: ToolDefinition): string {
  const [sentence = ""] = description.trim().split(/(?<=[.!?])\s|\n/, 1);
  const line = sentence.length > LINE_CHARACTERS ? `${sentence.slice(0, LINE_CHARACTERS - 1)}…` : sentence;
  return line === "" ? name : `${name}: ${line.toWellFormed()}`;
}
