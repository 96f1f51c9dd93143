// Renders messages, requests and compaction requests for the Responses API.

import {
  type Block,
  type Media,
  type Native,
  type Part,
  TOOL_SEARCH,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
} from "../../../log/block.ts";
import { asList, asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import type { FlatMessage } from "../../../view/view.ts";
import { canBeShown, describeMedia, fileNameOf, parseInput, shortenId, toUrl } from "../../content.ts";
import { toModelId } from "../../models.ts";
import type { CompactionRequestOptions, RequestParts } from "../../provider.ts";
import { frozenCopy, rememberTools } from "../../remember.ts";
import { OPENAI_RESPONSES, type ResponsesItem, type ResponsesRequest } from "../facts.ts";

/**
 * Creates the function that renders requests. The service stores nothing, so each request contains the whole
 * conversation with its encrypted reasoning. Cache marks are not needed: the service caches the newest prefix
 * automatically.
 */
export function createRequestRenderer({
  cacheDiagnostics,
}: RequestOptions): (parts: RequestParts<ResponsesItem>) => ResponsesRequest {
  const toolsOf = rememberTools(renderTool);
  return ({
    model,
    system,
    tools,
    deferredTools = [],
    parameters,
    messages,
    maxTokens,
    session,
    previousResponseId,
  }) => {
    const id = toModelId(model);
    const all = toolsOf(tools, parameters);
    // The definitions of deferred tools are in the results of tool searches.
    const rendered = deferredTools.length === 0 ? all : all.map((tool) => asSearch(tool as JsonObject));
    const include = [...(asList(parameters["include"]) ?? [])];
    if (!NEVER_REASONS.test(id) && !include.includes(ENCRYPTED_REASONING)) include.push(ENCRYPTED_REASONING);
    const { tools: _, include: __, ...rest } = parameters;
    const isCompared = cacheDiagnostics === "asked" && previousResponseId !== undefined && EXPLAINS_ITS_CACHE.test(id);
    const comparison = { ...asObject(rest["prompt_cache_options"]), comparison_response_id: previousResponseId };
    const request: object = {
      store: false,
      prompt_cache_key: session.slice(-MAXIMUM_CACHE_KEY_LENGTH),
      ...rest,
      ...(isCompared ? { prompt_cache_options: comparison } : {}),
      model: id,
      max_output_tokens: Math.max(maxTokens, MINIMUM_OUTPUT_TOKENS),
      ...(include.length === 0 ? {} : { include }),
      ...(system === "" ? {} : { instructions: system }),
      ...(rendered.length === 0 ? {} : { tools: rendered }),
      input: messages.slice(),
    };
    return request as ResponsesRequest;
  };
}

interface RequestOptions {
  readonly cacheDiagnostics: "asked" | "off";
}

/** The smallest output limit that the service accepts. */
const MINIMUM_OUTPUT_TOKENS = 16;

const MAXIMUM_CACHE_KEY_LENGTH = 64;

const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** Models without reasoning. They refuse requests for encrypted reasoning. */
const NEVER_REASONS = /^(?:chatgpt-4|gpt-[34])/;

/** Models with cache diagnostics. Earlier models refuse the options for them. */
const EXPLAINS_ITS_CACHE = /^gpt-(?:5\.[6-9]|[6-9])/;

/** Renders the definition of a tool. */
function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  // The service assumes `strict: true` by default, and most schemas do not meet its rules.
  const parameters = { type: "object", ...inputSchema };
  return { type: "function", name, description, parameters, strict: false };
}

/** Renders the tool that searches tools in the service's own form. */
function asSearch(tool: JsonObject): JsonObject {
  const { name, description, parameters } = tool;
  return name === TOOL_SEARCH ? { type: "tool_search", execution: "client", description, parameters } : tool;
}

/**
 * Renders a message as items, without the service's message and call ids: an item with an id requires the
 * reasoning before it, which may be lost.
 */
export function renderMessage({ role, blocks, toolSearch }: FlatMessage): readonly ResponsesItem[] {
  const plain = role === "assistant" ? renderAssistant(blocks) : renderUser(blocks);
  const items: readonly object[] = toolSearch === undefined ? plain : renderSearches(plain, blocks);
  return frozenCopy(items) as readonly ResponsesItem[];
}

function renderAssistant(blocks: readonly Block[]): JsonObject[] {
  const items = blocks.flatMap((block): JsonObject[] => {
    if ("native" in block && isOwn(block.native)) return [renderNative(block.native, block)];
    switch (block.kind) {
      case "text":
        return [toMessage("assistant", [{ type: "output_text", text: block.text }])];
      case "tool_call":
        return [renderCall(block)];
      // The service accepts only its own encrypted reasoning. Other kinds do not occur in model messages.
      default:
        return [];
    }
  });
  // The service refuses reasoning without a following item.
  while (items.at(-1)?.["type"] === "reasoning") items.pop();
  return items;
}

function isOwn(native: Native | undefined): native is Native {
  return native?.provider === OPENAI_RESPONSES;
}

/** Returns the item that the service sent. Only the id of a call may differ, if two calls had the same id. */
function renderNative({ block: native }: Native, block: Block): JsonObject {
  const item = native as JsonObject;
  return block.kind === "tool_call" ? { ...item, call_id: shortenId(block.id, MAXIMUM_ID_LENGTH) } : item;
}

function renderCall({ id, name, input }: ToolCall): JsonObject {
  const call_id = shortenId(id, MAXIMUM_ID_LENGTH);
  return { type: "function_call", call_id, name, arguments: JSON.stringify(input ?? {}) };
}

const MAXIMUM_ID_LENGTH = 64;

function renderUser(blocks: readonly Block[]): JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push(toMessage("user", parts));
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

/** Whether the block is a part of a message: the types of all such parts begin with `input_`. */
function isPart({ block }: Native): boolean {
  return asString(asObject(block)?.["type"])?.startsWith("input_") ?? false;
}

function toMessage(role: "user" | "assistant", content: readonly JsonObject[]): JsonObject {
  return { type: "message", role, content };
}

/** Renders a tool result. The API has no field for failure, so only the text of the result can report one. */
function renderResult({ callId, content }: ToolResult): JsonObject {
  const parts = typeof content === "string" ? [] : content.flatMap(renderPart);
  const [first] = parts;
  const text = typeof content === "string" ? content : parts.length === 0 ? "" : onlyText(first, parts.length);
  return { type: "function_call_output", call_id: shortenId(callId, MAXIMUM_ID_LENGTH), output: text ?? parts };
}

/** Returns a single text as a string, because older servers accept nothing else. */
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

/** Replaces tool searches and their results by the items for them. The output of a search contains only definitions. */
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

/**
 * Renders the same conversation with a compaction trigger at its end; the service answers with one encrypted item. The
 * endpoint `/responses/compact` would also return the user's messages, which the log already has, and cannot stream: a
 * call without data for minutes looks stalled. Undefined if there are instructions: the service does not accept them.
 */
export function renderCompaction(
  request: ResponsesRequest,
  { instructions }: CompactionRequestOptions = {},
): ResponsesRequest | undefined {
  if (instructions !== undefined) return undefined;
  // The response format and a forced tool call are removed, because there is no answer.
  const { text, tool_choice: choice, context_management: _, ...rest } = request;
  const { format: __, ...shape } = asObject(text) ?? {};
  const input = [...((asList(request.input) as ResponsesItem[] | undefined) ?? []), { type: "compaction_trigger" }];
  return {
    ...rest,
    ...(Object.keys(shape).length === 0 ? {} : { text: shape }),
    ...(choice === undefined || typeof choice === "object" || choice === "required" ? {} : { tool_choice: choice }),
    input: input as ResponsesItem[],
  };
}
