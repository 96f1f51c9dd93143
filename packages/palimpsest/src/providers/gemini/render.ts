// Renders messages and requests for Gemini.

import type { Content, Part as GeminiPart, GenerateContentConfig } from "@google/genai";
import type { Block, Media, Native, Part, ToolCall, ToolResult } from "../../log/block.ts";
import type { ToolDefinition } from "../../log/payload.ts";
import { asList, asObject } from "../../schema/json-fields.ts";
import type { FlatMessage } from "../../view/view.ts";
import { canBeShown, describeMedia, mediaOfResult, textOfResult, toArguments } from "../content.ts";
import { toModelId } from "../models.ts";
import type { RequestParts } from "../provider.ts";
import { frozenCopy, rememberTools } from "../remember.ts";
import { GEMINI, type GeminiMessage, type GeminiRequest } from "./facts.ts";

/** Creates the function that renders requests. Gemini has no cache marks: the service caches prefixes automatically. */
export function createRequestRenderer(): (parts: RequestParts<GeminiMessage>) => GeminiRequest {
  const declarationsOf = rememberTools(renderTool);
  return ({ model, system, tools, parameters, messages, maxTokens }) => {
    const functionDeclarations = declarationsOf(tools, {});
    const own = asList(parameters["tools"]) ?? [];
    const rendered = functionDeclarations.length === 0 ? own : [{ functionDeclarations }, ...own];
    // The session sets these itself.
    const { tools: _, maxOutputTokens: __, systemInstruction: ___, ...rest } = parameters;
    const config = {
      ...rest,
      maxOutputTokens: Math.max(1, maxTokens),
      ...(system === "" ? {} : { systemInstruction: system }),
      ...(rendered.length === 0 ? {} : { tools: rendered }),
    };
    const id = toModelId(model);
    return { model: id, contents: completeContents(messages, id), config: config as GenerateContentConfig };
  };
}

function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  const parametersJsonSchema = { type: "object", ...inputSchema };
  return { name, description, parametersJsonSchema };
}

/**
 * Completes messages with data of the whole conversation: function responses get the name of their function, and the
 * first call of a step gets a signature, which Gemini 3 and later models require. Earlier turns get signatures, too: a
 * prompt must not change when a turn ends.
 */
function completeContents(contents: readonly Content[], model: string): Content[] {
  const names = new Map<string, string>();
  const needsSignature = !/gemini-[12]/.test(model);
  return contents.map((content) => {
    const { parts = [] } = content;
    for (const { functionCall } of parts) if (functionCall?.id) names.set(functionCall.id, functionCall.name ?? "");
    const isPlain = parts.every(({ functionCall, functionResponse }) => !functionCall && !functionResponse);
    if (isPlain) return content;
    const first = needsSignature ? parts.findIndex(({ functionCall }) => functionCall !== undefined) : -1;
    return { ...content, parts: parts.map((part, index) => complete(part, names, index === first)) };
  });
}

function complete(part: GeminiPart, names: ReadonlyMap<string, string>, isFirstCall: boolean): GeminiPart {
  const { functionResponse } = part;
  if (functionResponse !== undefined) {
    const name = functionResponse.name || names.get(functionResponse.id ?? "") || "unknown";
    return { ...part, functionResponse: { ...functionResponse, name } };
  }
  return isFirstCall && part.thoughtSignature === undefined ? { ...part, thoughtSignature: NO_SIGNATURE } : part;
}

/** The service accepts this text instead of a signature, for calls from another model. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Renders a message as one content. Function responses get their names in `completeContents`. */
export function renderMessage({ role, blocks }: FlatMessage): readonly GeminiMessage[] {
  const parts = role === "assistant" ? blocks.flatMap(renderBlock) : renderUser(blocks);
  return parts.length === 0 ? [] : frozenCopy([{ role: role === "assistant" ? "model" : "user", parts }]);
}

/**
 * Renders a user message: all tool results, then the media of the results, then other content. A result contains only
 * text.
 */
function renderUser(blocks: readonly Block[]): GeminiPart[] {
  const results = blocks.filter((block) => block.kind === "tool_result");
  const others = blocks.filter((block) => block.kind !== "tool_result");
  return [...results.map(renderResult), ...results.flatMap(renderShown), ...others.flatMap(renderBlock)];
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

function renderBlock(block: Block | Part): GeminiPart[] {
  switch (block.kind) {
    case "text":
      return ownParts(block.native) ?? (block.text === "" ? [] : [{ text: block.text }]);
    case "thinking":
      // Summaries of thoughts are not sent back, only signed parts.
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

/** Returns the parts that the service sent for a block; undefined for blocks from other providers. */
function ownParts(native: Native | undefined): GeminiPart[] | undefined {
  return native?.provider === GEMINI ? ((asList(native.block) ?? []) as GeminiPart[]) : undefined;
}

/** Renders a tool call with its signature. Only the id may differ, if two calls had the same id. */
function renderCall({ id, name, input, native }: ToolCall): GeminiPart {
  const [part] = ownParts(native) ?? [];
  if (part !== undefined) return { ...part, functionCall: { ...asObject(part.functionCall), id } };
  return { functionCall: { id, name, args: { ...toArguments(input) } } };
}

/** Renders media as inline data. The service accepts neither URLs nor GIF images here. */
function renderMedia(media: Media): GeminiPart {
  const { source } = media;
  if (source.kind === "url" || source.mediaType === "image/gif" || !canBeShown(media)) {
    return { text: describeMedia(media) };
  }
  return { inlineData: { mimeType: source.mediaType, data: source.data } };
}
