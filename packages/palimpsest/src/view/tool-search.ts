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
 * How deferred tools come into the conversation. `native`: in the provider's own form, and the model calls them like any other
 * tool. `own`: as text, and the model calls them through `call_tool`.
 */
export type ToolSearch = "native" | "own";

/** The tools that this message brings in. */
export function toolsIn({ blocks }: Pick<FlatMessage, "blocks">): readonly ToolDefinition[] {
  return blocks.flatMap((block) =>
    block.kind === "tool_result" && typeof block.content !== "string" ? block.content.flatMap(toolOf) : [],
  );
}

/** The tools that a conversation has brought in, by their names; of two definitions of one name, the newer. */
export function loadedTools(items: readonly Item[]): ReadonlyMap<string, ToolDefinition> {
  const tools = items.flatMap((item) => (item.kind === "message" ? toolsIn(item) : []));
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function toolOf(part: Part): readonly ToolDefinition[] {
  return part.kind === "text" && part.tool !== undefined ? [part.tool] : [];
}

/** The message in the form that the model's provider takes. Most messages stay as they are. */
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

/** The call as it was meant: one through `call_tool` is a call of the tool that it names. */
export function unwrapCall(block: Block): Block {
  if (block.kind !== "tool_call" || block.name !== CALL_TOOL) return block;
  const asked = asObject(block.input);
  const name = asString(asked?.["name"]);
  if (name === undefined || name === CALL_TOOL) return block;
  return { ...block, name, input: parsed(asked?.["input"] ?? {}), through: CALL_TOOL };
}

/** Models often write the input within an input as text. */
function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return asObject(JSON.parse(input)) ?? input;
  } catch {
    return input;
  }
}

/** The tools as they are sent: what others say about their own tools is marked, and no text in a schema can write a tag of ours. */
export function shownTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return tools.some(({ provenance }) => provenance !== undefined) ? tools.map(shownTool) : tools;
}

/** One tool as it is sent. */
function shownTool(tool: ToolDefinition): ToolDefinition {
  const { provenance, description, inputSchema } = tool;
  if (provenance === undefined || provenance.kind === "host") return tool;
  return {
    ...tool,
    ...(description === undefined ? {} : { description: markData(description, provenance) }),
    inputSchema: escaped(inputSchema) as ToolDefinition["inputSchema"],
  };
}

function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapeTags(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [escapeTags(key), escaped(inner)]));
}

/** The tools of a request. */
interface OfferedTools {
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
