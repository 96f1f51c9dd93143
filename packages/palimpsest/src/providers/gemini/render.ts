import type { Part as GeminiPart } from "@google/genai";
import type { Block, Media, Native, Part, ToolCall, ToolResult } from "../../log/block.ts";
import { asList, asObject } from "../../schema/json-fields.ts";
import type { FlatMessage } from "../../view/flat-message.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { canBeShown, describeMedia } from "../media.ts";
import { mediaOfResult, textOfResult } from "../result-parts.ts";
import { toArguments } from "../to-arguments.ts";
import { GEMINI, type GeminiMessage } from "./wire.ts";

/** Renders a message as one content. Names of the functions that results answer come with the request. */
export function renderMessage({ role, blocks }: FlatMessage): readonly GeminiMessage[] {
  const parts = role === "assistant" ? blocks.flatMap(renderBlock) : renderUser(blocks);
  return parts.length === 0 ? [] : frozenCopy([{ role: role === "assistant" ? "model" : "user", parts }]);
}

/** Responses come first, together, then what their tools showed: a response contains only text. */
function renderUser(blocks: readonly Block[]): GeminiPart[] {
  const results = blocks.filter((block) => block.kind === "tool_result");
  const others = blocks.filter((block) => block.kind !== "tool_result");
  return [...results.map(renderResult), ...results.flatMap(renderShown), ...others.flatMap(renderBlock)];
}

function renderBlock(block: Block | Part): GeminiPart[] {
  switch (block.kind) {
    case "text":
      return ownParts(block.native) ?? (block.text === "" ? [] : [{ text: block.text }]);
    case "thinking":
      // A summary of thoughts does not go back, only what is signed.
      return block.provider === GEMINI ? (ownParts(block.native) ?? []) : [];
    case "tool_call":
      return [renderCall(block)];
    case "image":
    case "document":
      return [renderMedia(block)];
    case "opaque":
      return ownParts(block.native) ?? [];
    case "tool_result":
      return [];
  }
}

/** The parts that the service sent, for a block that is its own. */
function ownParts(native: Native | undefined): GeminiPart[] | undefined {
  return native?.provider === GEMINI ? ((asList(native.block) ?? []) as GeminiPart[]) : undefined;
}

/** The signature stays with its call. Only the id may differ, if two calls had the same id. */
function renderCall({ id, name, input, native }: ToolCall): GeminiPart {
  const [part] = ownParts(native) ?? [];
  if (part !== undefined) return { ...part, functionCall: { ...asObject(part.functionCall), id } };
  return { functionCall: { id, name, args: { ...toArguments(input) } } };
}

function renderResult(result: ToolResult): GeminiPart {
  const text = textOfResult(result);
  const shown = text === "" && mediaOfResult(result).length > 0 ? "(shown below)" : text;
  const response = result.status === "error" ? { error: shown } : { output: shown };
  return { functionResponse: { id: result.callId, name: "", response } };
}

function renderShown(result: ToolResult): GeminiPart[] {
  const media = mediaOfResult(result);
  if (media.length === 0) return [];
  return [{ text: `Shown by the tool call ${result.callId}:` }, ...media.map(renderMedia)];
}

/** The service reads no addresses of the web here, and no GIF. */
function renderMedia(media: Media): GeminiPart {
  const { source } = media;
  if (source.kind === "url" || source.mediaType === "image/gif" || !canBeShown(media)) {
    return { text: describeMedia(media) };
  }
  return { inlineData: { mimeType: source.mediaType, data: source.data } };
}
