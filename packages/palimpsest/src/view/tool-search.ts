import type { Block, Part, Text, ToolCall } from "../log/block.ts";
import { CALL_TOOL, TOOL_SEARCH, type ToolDefinition } from "../log/tool-definition.ts";
import { asObject, asString } from "../schema/json-fields.ts";
import type { FlatMessage } from "./flat-message.ts";
import type { Item } from "./item.ts";

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
