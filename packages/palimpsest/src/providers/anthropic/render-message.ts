import type Anthropic from "@anthropic-ai/sdk";
import type { Block, Media, Native, Part, Thinking, ToolCall, ToolResult } from "../../log/block.ts";
import type { FlatMessage } from "../../view/flat-message.ts";
import { base64Text } from "../content.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { canBeShown, describeMedia } from "../media.ts";
import { toArguments } from "../to-arguments.ts";
import { ANTHROPIC, type AnthropicBlock, type AnthropicMessage } from "./wire.ts";

/** Renders a message for the Messages API, its content always as a list; no message if nothing in it can be sent. */
export function renderMessage({ role, blocks }: FlatMessage): readonly AnthropicMessage[] {
  const content = blocks.flatMap(renderBlock);
  return frozenCopy(content.length === 0 ? [] : [{ role, content }]);
}

function renderBlock(block: Block): AnthropicBlock[] {
  if ("native" in block && isOwn(block.native)) return [renderNative(block.native, block)];
  switch (block.kind) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "thinking":
      return renderThinking(block);
    case "tool_call":
      return [renderCall(block)];
    case "tool_result":
      return [renderResult(block)];
    case "image":
    case "document":
      return [renderMedia(block)];
    case "opaque":
      return [];
  }
}

function isOwn(native: Native | undefined): native is Native {
  return native?.provider === ANTHROPIC;
}

/** Returns the block as it came. Only the id of a call may differ, if two calls had the same id. */
function renderNative({ block: native }: Native, block: Block): AnthropicBlock {
  const id = block.kind === "tool_call" ? { id: block.id } : {};
  return { ...(native as AnthropicBlock), ...id };
}

/** The API refuses thinking that it did not sign. */
function renderThinking({ provider, text, signature }: Thinking): AnthropicBlock[] {
  return provider === ANTHROPIC && signature !== undefined ? [{ type: "thinking", thinking: text, signature }] : [];
}

function renderCall({ id, name, input }: ToolCall): AnthropicBlock {
  return { type: "tool_use", id, name, input: toArguments(input) };
}

function renderResult({ callId, content, status }: ToolResult): AnthropicBlock {
  const loaded = typeof content === "string" ? [] : content.flatMap(renderReference);
  const parts =
    loaded.length > 0 ? loaded : typeof content === "string" ? renderText(content) : content.flatMap(renderPart);
  return {
    type: "tool_result",
    tool_use_id: callId,
    ...(parts.length === 0 ? {} : { content: parts as Anthropic.ToolResultBlockParam["content"] & object }),
    ...(status === "error" ? { is_error: true } : {}),
  };
}

/** The service puts the definition of the deferred tool here. */
function renderReference(part: Part): AnthropicBlock[] {
  if (part.kind !== "text" || part.tool === undefined) return [];
  return [{ type: "tool_reference", tool_name: part.tool.name } as unknown as AnthropicBlock];
}

function renderPart(part: Part): AnthropicBlock[] {
  return part.kind === "text" && part.text === "" ? [] : renderBlock(part);
}

function renderText(text: string): AnthropicBlock[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function renderMedia(media: Media): AnthropicBlock {
  const { kind, source } = media;
  if (!canBeShown(media)) return { type: "text", text: describeMedia(media) };
  if (source.kind === "url") return { type: kind, source: { type: "url", url: source.url } };
  const { mediaType, data } = source;
  if (kind === "image") {
    const media_type = mediaType as Anthropic.Base64ImageSource["media_type"];
    return { type: "image", source: { type: "base64", media_type, data } };
  }
  if (mediaType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: mediaType, data } };
  const text = base64Text(data);
  return { type: "document", source: { type: "text", media_type: "text/plain", data: text } };
}
