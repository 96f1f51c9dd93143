// Deferred tools: which tools stand in the prompt, and how tools that `tool_search` loads come into the conversation.

import {
  type Block,
  CALL_TOOL,
  type Part,
  type Text,
  TOOL_SEARCH,
  type ToolCall,
  type ToolDefinition,
} from "../log/block.ts";
import type { Provenance } from "../log/provenance.ts";
import { asObject, asString } from "../schema/json-fields.ts";
import { escapeTags, markData } from "./texts.ts";
import type { FlatMessage, Item } from "./view.ts";

/**
 * How deferred tools are loaded. `native`: in the provider's own form, and the model calls them like any other tool. `own`: as
 * text, and the model calls them through `call_tool`.
 */
export type ToolSearch = "native" | "own";

/**
 * Returns the tools of a request as they are sent. A loaded tool keeps the definition that it had when it was loaded: the provider
 * reads the definition at the place of the search, where it must not change.
 * @param loaded the tools that the conversation has loaded
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

/** The tools of a request. */
interface OfferedTools {
  /** The tools at the beginning of the prompt, with their schemas. */
  readonly tools: readonly ToolDefinition[];
  /** The tools that stay out of the prompt until a result of `tool_search` names them; only for providers that support this. */
  readonly deferredTools: readonly ToolDefinition[];
}

/** Returns the tools at the beginning of a request: all tools that are not deferred, and the tools that load and call deferred ones. */
export function headTools(tools: readonly ToolDefinition[], search: ToolSearch = "native"): readonly ToolDefinition[] {
  const deferred = tools.filter(({ loading }) => loading === "deferred");
  if (deferred.length === 0) return tools;
  const head = tools.filter(({ loading }) => loading !== "deferred");
  return [...head, searchDefinition(deferred, search), ...(search === "own" ? [CALL_DEFINITION] : [])];
}

/** Defines `tool_search`. The prompt contains its texts, so a changed word invalidates the cache of sessions with deferred tools. */
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

/** Lists tools, one per line. Descriptions by others are marked as data, in one group for each author. */
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

/** The maximum length of a tool's description in the list. */
const LINE_CHARACTERS = 100;

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

/** Returns the tools that a conversation has loaded, by name; of two definitions with one name, the newer. */
export function loadedTools(items: readonly Item[]): ReadonlyMap<string, ToolDefinition> {
  const tools = items.flatMap((item) => (item.kind === "message" ? toolsIn(item) : []));
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** Returns the tools that a message loads. */
export function toolsIn({ blocks }: Pick<FlatMessage, "blocks">): readonly ToolDefinition[] {
  return blocks.flatMap((block) =>
    block.kind === "tool_result" && typeof block.content !== "string" ? block.content.flatMap(toolOf) : [],
  );
}

function toolOf(part: Part): readonly ToolDefinition[] {
  return part.kind === "text" && part.tool !== undefined ? [part.tool] : [];
}

/** Returns a message in the form that the provider needs for deferred tools. Most messages stay as they are. */
export function inToolForm(message: FlatMessage, search: ToolSearch): FlatMessage {
  if (search === "own") {
    return message.blocks.some((block) => block !== asText(block))
      ? { ...message, blocks: message.blocks.map(asText) }
      : message;
  }
  const isSearch = message.blocks.some(
    (block) =>
      (block.kind === "tool_call" && block.name === TOOL_SEARCH) ||
      (block.kind === "tool_result" && block.tool === TOOL_SEARCH),
  );
  return isSearch ? { ...message, toolSearch: "native" } : message;
}

function asText(block: Block): Block {
  if (block.kind === "tool_call") return block.through === undefined ? block : wrapCall(block);
  if (block.kind !== "tool_result" || block.tool === undefined) return block;
  const { tool: _, content, ...result } = block;
  return { ...result, content: typeof content === "string" ? content : content.map(withoutTool) };
}

function withoutTool(part: Part): Part {
  if (part.kind !== "text" || part.tool === undefined) return part;
  const { tool: _, ...text } = part;
  return text satisfies Text;
}

function wrapCall({ through: _, name, input, ...call }: ToolCall): ToolCall {
  return { ...call, name: CALL_TOOL, input: { name, input } };
}

/** Turns a call of `call_tool` into a call of the tool that it names. */
export function unwrapCall(block: Block): Block {
  if (block.kind !== "tool_call" || block.name !== CALL_TOOL) return block;
  const input = asObject(block.input);
  const name = asString(input?.["name"]);
  if (name === undefined || name === CALL_TOOL) return block;
  return { ...block, name, input: parsed(input?.["input"] ?? {}), through: CALL_TOOL };
}

/** Parses an input that the model wrote as text, as models often do for an input within an input. */
function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return asObject(JSON.parse(input)) ?? input;
  } catch {
    return input;
  }
}

/** Returns tools as they are sent. Descriptions by others are marked as data, and tags of the engine in schemas are escaped. */
export function shownTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.some(({ provenance }) => provenance !== undefined) ? tools.map(shownTool) : tools;
}

/** Returns one tool as it is sent. */
function shownTool(tool: ToolDefinition): ToolDefinition {
  const { provenance, description, inputSchema } = tool;
  if (provenance === undefined || provenance.kind === "host") return tool;
  return {
    ...tool,
    description: description === undefined ? undefined : markData(description, provenance),
    inputSchema: escaped(inputSchema) as ToolDefinition["inputSchema"],
  };
}

function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapeTags(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [escapeTags(key), escaped(inner)]));
}

/** Returns the text that describes a loaded tool, for providers without a form of their own. */
export function describeTool(tool: ToolDefinition): string {
  const { name, description, inputSchema } = shownTool(tool);
  return [
    `Tool ${name}`,
    ...(description === undefined ? [] : [description]),
    `Input: ${JSON.stringify(inputSchema)}`,
  ].join("\n");
}
