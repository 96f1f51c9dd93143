import type { Block, Media, Native, Part, ToolCall, ToolResult } from "../../../log/block.ts";
import { TOOL_SEARCH, type ToolDefinition } from "../../../log/tool-definition.ts";
import { asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import type { FlatMessage } from "../../../view/flat-message.ts";
import { fileNameOf, toUrl } from "../../data-url.ts";
import { frozenCopy } from "../../frozen-copy.ts";
import { canBeShown, describeMedia } from "../../media.ts";
import { parseInput } from "../../parse-input.ts";
import { shortenId } from "../../shorten-id.ts";
import { OPENAI_RESPONSES, type ResponsesItem } from "../wire.ts";
import { renderTool } from "./render-request.ts";

const MAXIMUM_ID_LENGTH = 64;

/**
 * Renders a message as items. The service's ids of messages and calls are left out: an item with an id requires the
 * reasoning that came with it, which may be gone.
 */
export function renderMessage({ role, blocks, toolSearch }: FlatMessage): readonly ResponsesItem[] {
  const plain = role === "assistant" ? renderAssistant(blocks) : renderUser(blocks);
  const items = toolSearch === undefined ? plain : renderSearches(plain, blocks);
  return frozenCopy(items) as unknown as readonly ResponsesItem[];
}

function renderAssistant(blocks: readonly Block[]): JsonObject[] {
  const items = blocks.flatMap((block): JsonObject[] => {
    if ("native" in block && isOwn(block.native)) return [renderNative(block.native, block)];
    switch (block.kind) {
      case "text":
        return [said("assistant", [{ type: "output_text", text: block.text }])];
      case "tool_call":
        return [renderCall(block)];
      // Reasoning in another form than the service's own cannot be sealed again. The other kinds are not for the
      // model's role.
      default:
        return [];
    }
  });
  // The service refuses reasoning without the item that followed it.
  while (items.at(-1)?.["type"] === "reasoning") items.pop();
  return items;
}

function isOwn(native: Native | undefined): native is Native {
  return native?.provider === OPENAI_RESPONSES;
}

/** Returns the item as it came. Only the id of a call may differ, if two calls had the same id. */
function renderNative({ block: native }: Native, block: Block): JsonObject {
  const item = native as JsonObject;
  return block.kind === "tool_call" ? { ...item, call_id: shortenId(block.id, MAXIMUM_ID_LENGTH) } : item;
}

/** A search of tools is an item of its own kind. Its output is the definitions, and no other text. */
function renderSearches(items: readonly JsonObject[], blocks: readonly Block[]): JsonObject[] {
  const results = blocks.filter((block) => block.kind === "tool_result" && block.tool === TOOL_SEARCH);
  const searched = new Map((results as ToolResult[]).map((one) => [shortenId(one.callId, MAXIMUM_ID_LENGTH), one]));
  return items.map((item) => {
    const { type, name, call_id } = item;
    const shared = { call_id, execution: "client", status: "completed" };
    if (type === "function_call" && name === TOOL_SEARCH) {
      return { type: "tool_search_call", ...shared, arguments: parseInput(asString(item["arguments"]) ?? "") };
    }
    const result = type === "function_call_output" ? searched.get(asString(call_id) ?? "") : undefined;
    if (result === undefined) return item;
    const tools = toolsOf(result).map((tool) => ({ ...renderTool(tool), defer_loading: true }));
    return { type: "tool_search_output", ...shared, tools };
  });
}

function toolsOf({ content }: ToolResult): readonly ToolDefinition[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => (part.kind === "text" && part.tool !== undefined ? [part.tool] : []));
}

function renderCall({ id, name, input }: ToolCall): JsonObject {
  const call_id = shortenId(id, MAXIMUM_ID_LENGTH);
  return { type: "function_call", call_id, name, arguments: JSON.stringify(input ?? {}) };
}

function renderUser(blocks: readonly Block[]): JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push(said("user", parts));
    parts = [];
  };
  for (const block of blocks) {
    if (block.kind === "tool_result") {
      flush();
      items.push(renderResult(block));
    } else if (block.kind === "opaque" && isOwn(block.native) && !isPart(block.native)) {
      flush();
      items.push(block.native.block as JsonObject);
    } else if (block.kind !== "thinking" && block.kind !== "tool_call") {
      parts.push(...renderPart(block));
    }
  }
  flush();
  return items;
}

function said(role: "user" | "assistant", content: readonly JsonObject[]): JsonObject {
  return { type: "message", role, content };
}

/** Whether the block is a part of a message: the types of all such parts begin with `input_`. */
function isPart({ block }: Native): boolean {
  return asString(asObject(block)?.["type"])?.startsWith("input_") ?? false;
}

/** The form has no field for failure; the text of the result must tell it. */
function renderResult({ callId, content }: ToolResult): JsonObject {
  const parts = typeof content === "string" ? [] : content.flatMap(renderPart);
  const [first] = parts;
  const text = typeof content === "string" ? content : parts.length === 0 ? "" : onlyText(first, parts.length);
  return { type: "function_call_output", call_id: shortenId(callId, MAXIMUM_ID_LENGTH), output: text ?? parts };
}

/** Returns a single text as a string; older servers accept nothing else. */
function onlyText(part: JsonObject | undefined, count: number): string | undefined {
  return count === 1 && part?.["type"] === "input_text" ? asString(part["text"]) : undefined;
}

function renderPart(part: Part): JsonObject[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ type: "input_text", text: part.text }];
    case "opaque":
      return isOwn(part.native) && isPart(part.native) ? [part.native.block as JsonObject] : [];
    default:
      return [renderMedia(part)];
  }
}

function renderMedia(media: Media): JsonObject {
  const { kind, source } = media;
  if (!canBeShown(media)) return { type: "input_text", text: describeMedia(media) };
  if (kind === "image") return { type: "input_image", image_url: toUrl(source), detail: "auto" };
  if (source.kind === "url") return { type: "input_file", file_url: source.url };
  return { type: "input_file", filename: fileNameOf(source), file_data: toUrl(source) };
}
