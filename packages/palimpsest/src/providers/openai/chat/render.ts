// Renders messages and requests for Chat Completions.

import type { Block, Media, Native, Part, Thinking, ToolCall, ToolResult } from "../../../log/block.ts";
import type { ToolDefinition } from "../../../log/payload.ts";
import type { JsonObject } from "../../../schema/json-fields.ts";
import type { FlatMessage } from "../../../view/view.ts";
import {
  canBeShown,
  describeMedia,
  fileNameOf,
  mediaOfResult,
  shortenId,
  textOfResult,
  toArguments,
  toUrl,
} from "../../content.ts";
import { toModelId } from "../../models.ts";
import type { RequestParts } from "../../provider.ts";
import { frozenCopy, rememberTools } from "../../remember.ts";
import { type ChatMessage, type ChatRequest, OPENAI_CHAT } from "../facts.ts";

/**
 * Creates the function that renders requests. Chat Completions have no cache marks: servers cache prefixes
 * automatically, or not at all.
 */
export function createRequestRenderer({
  dialect,
  systemRole,
}: RequestOptions): (parts: RequestParts<ChatMessage>) => ChatRequest {
  const toolsOf = rememberTools(renderTool);
  return ({ model, system, tools, parameters, messages, maxTokens, session }) => {
    const rendered = toolsOf(tools, parameters);
    // The session sets the output limit. A server could refuse a second limit, or the second limit could be too large.
    const { tools: _, max_tokens: __, max_completion_tokens: ___, ...rest } = parameters;
    const limit = Math.max(1, maxTokens);
    const ofDialect =
      dialect === "openai"
        ? { prompt_cache_key: session.slice(-MAXIMUM_CACHE_KEY_LENGTH), max_completion_tokens: limit }
        : { max_tokens: limit };
    const request: object = {
      ...ofDialect,
      ...rest,
      model: toModelId(model),
      ...(rendered.length === 0 ? {} : { tools: rendered }),
      messages: system === "" ? messages.slice() : [{ role: systemRole, content: system }, ...messages],
    };
    return request as ChatRequest;
  };
}

interface RequestOptions {
  readonly dialect: "openai" | "compatible";
  readonly systemRole: "system" | "developer";
}

const MAXIMUM_CACHE_KEY_LENGTH = 64;

function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  const parameters = { type: "object", ...inputSchema };
  return { type: "function", function: { name, description, parameters } };
}

/** Renders a message. Each tool result becomes a separate message, which contains only text. */
export function renderMessage({ role, blocks }: FlatMessage, options: RenderOptions): readonly ChatMessage[] {
  const messages: readonly object[] = role === "assistant" ? renderAssistant(blocks, options) : renderUser(blocks);
  return frozenCopy(messages) as readonly ChatMessage[];
}

interface RenderOptions {
  readonly thinking: "left-out" | "sent-back";
}

function renderAssistant(blocks: readonly Block[], { thinking }: RenderOptions): JsonObject[] {
  const calls = blocks.filter((block) => block.kind === "tool_call").map(renderCall);
  const texts = blocks.filter((block) => block.kind === "text").map(({ text }) => text);
  if (texts.length === 0 && calls.length === 0) return [];
  const thoughts = thinking === "sent-back" ? blocks.filter(isOwnThinking).map(({ text }) => text) : [];
  return [
    {
      role: "assistant",
      content: texts.length === 0 ? null : texts.join("\n\n"),
      ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join("\n\n") }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function isOwnThinking(block: Block): block is Thinking {
  return block.kind === "thinking" && block.provider === OPENAI_CHAT;
}

function renderCall({ id, name, input, native }: ToolCall): JsonObject {
  const raw = isOwn(native) ? (native.block as JsonObject)["arguments"] : undefined;
  const text = raw ?? JSON.stringify(toArguments(input));
  return { id: shortenId(id, MAXIMUM_ID_LENGTH), type: "function", function: { name, arguments: text } };
}

const MAXIMUM_ID_LENGTH = 40;

function isOwn(native: Native | undefined): native is Native {
  return native?.provider === OPENAI_CHAT;
}

/**
 * Renders a user message: tool results first, because they must follow their calls directly. Their media come after
 * them.
 */
function renderUser(blocks: readonly Block[]): JsonObject[] {
  const results = blocks.filter((block) => block.kind === "tool_result");
  const parts = [...results.flatMap(renderShown), ...blocks.flatMap(renderPart)];
  const [only] = parts;
  const content = parts.length === 1 && only?.["type"] === "text" ? only["text"] : parts;
  return [...results.map(renderResult), ...(parts.length === 0 ? [] : [{ role: "user", content }])];
}

function renderResult(result: ToolResult): JsonObject {
  const text = textOfResult(result);
  const hasMore = mediaOfResult(result).length > 0;
  const content = text === "" && hasMore ? "(shown in the next message)" : text;
  return { role: "tool", tool_call_id: shortenId(result.callId, MAXIMUM_ID_LENGTH), content };
}

function renderShown(result: ToolResult): JsonObject[] {
  const media = mediaOfResult(result);
  if (media.length === 0) return [];
  const caption = `Shown by the tool call ${shortenId(result.callId, MAXIMUM_ID_LENGTH)}:`;
  return [{ type: "text", text: caption }, ...media.map(renderMedia)];
}

function renderPart(part: Part | Block): JsonObject[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "image":
    case "document":
      return [renderMedia(part)];
    case "opaque":
      return isOwn(part.native) ? [part.native.block as JsonObject] : [];
    default:
      return [];
  }
}

function renderMedia(media: Media): JsonObject {
  const { kind, source } = media;
  // Chat Completions accept no document URLs.
  const isRemote = kind === "document" && source.kind === "url";
  if (isRemote || !canBeShown(media)) return { type: "text", text: describeMedia(media) };
  if (kind === "image") return { type: "image_url", image_url: { url: toUrl(source) } };
  return { type: "file", file: { filename: fileNameOf(source), file_data: toUrl(source) } };
}
