// Renders messages and requests for the Converse API.

import type { ConverseStreamCommandInput } from "@aws-sdk/client-bedrock-runtime";
import type { Block, Media, Native, Part, Thinking, ToolCall, ToolResult } from "../../log/block.ts";
import type { ToolDefinition } from "../../log/payload.ts";
import { asObject, type JsonObject, present } from "../../schema/json-fields.ts";
import type { FlatMessage } from "../../view/view.ts";
import { fitThinking, type ThinkingRoom } from "../anthropic/render.ts";
import { base64Bytes, canBeShown, describeMedia, fingerprint, shortenId, toArguments } from "../content.ts";
import { toModelId } from "../models.ts";
import type { RequestParts } from "../provider.ts";
import { frozenCopy, rememberTools } from "../remember.ts";
import { BEDROCK, type BedrockBlock, type BedrockMessage, type BedrockRequest } from "./wire.ts";

/**
 * Creates the function that renders requests. Parameters are fields of the request; the session replaces the fields it
 * sets.
 */
export function createRequestRenderer(): (parts: RequestParts<BedrockMessage>) => BedrockRequest {
  const toolsOf = rememberTools(renderTool);
  return (parts) => {
    const { model, system, tools, parameters, messages, maxTokens, headTtl = parts.cacheTtl } = parts;
    const { toolConfig, inferenceConfig, additionalModelRequestFields: fields, ...rest } = parameters;
    const own = asObject(toolConfig) ?? {};
    const rendered = toolsOf(tools, own) as readonly JsonObject[];
    const offered = rendered.length === 0 ? placeholders(messages) : rendered;
    const point = toPoint(headTtl);
    const head = system === "" && offered.length > 0 ? [...offered, point] : offered;
    return {
      ...rest,
      modelId: toModelId(model),
      ...(system === "" ? {} : { system: [{ text: system }, point] }),
      messages: nameDocuments(markMessages(parts)),
      inferenceConfig: { ...asObject(inferenceConfig), maxTokens: Math.max(1, maxTokens) },
      ...(head.length === 0 ? {} : { toolConfig: { ...own, tools: head } }),
      ...present({
        additionalModelRequestFields: fitFields(asObject(fields), { maxTokens, openTurn: openTurnOf(messages) }),
      }),
    };
  };
}

function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  const json = { ...inputSchema, type: "object" };
  return { toolSpec: { name, ...(description ? { description } : {}), inputSchema: { json } } };
}

/** Defines the tools of earlier calls: the service refuses tool calls and results in a request without tools. */
function placeholders(messages: readonly BedrockMessage[]): readonly JsonObject[] {
  const names = messages.flatMap(({ content }) => content.flatMap(({ toolUse }) => toolUse?.name ?? []));
  return [...new Set(names)].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: "object" } } } }));
}

function toPoint(ttl: Ttl): BedrockBlock & JsonObject {
  return { cachePoint: ttl === "1h" ? { type: "default", ttl } : { type: "default" } };
}

type Ttl = RequestParts<BedrockMessage>["cacheTtl"];

function markMessages({ messages, marks, cacheTtl }: RequestParts<BedrockMessage>): readonly BedrockMessage[] {
  const marked = messages.slice();
  for (const index of new Set(marks.slice(-MAXIMUM_MESSAGE_MARKS))) {
    const message = messages[index];
    if (message !== undefined) marked[index] = markMessage(message, cacheTtl);
  }
  return marked;
}

/** The model accepts four cache points. One of them is at the end of the tools and the system prompt. */
const MAXIMUM_MESSAGE_MARKS = 3;

/** Returns the message with a cache point after its last block that is not thinking; thinking cannot have one. */
function markMessage(message: BedrockMessage, ttl: Ttl): BedrockMessage {
  const last = message.content.findLastIndex(({ reasoningContent }) => reasoningContent === undefined);
  if (last < 0) return message;
  return { ...message, content: message.content.toSpliced(last + 1, 0, toPoint(ttl)) };
}

/** Numbers documents with equal names: the service refuses two documents with one name anywhere in a request. */
function nameDocuments(messages: readonly BedrockMessage[]): readonly BedrockMessage[] {
  const counts = new Map<string, number>();

  function rename<Named extends BedrockBlock>(block: Named): Named {
    if (block.document !== undefined) {
      const { name } = block.document;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count === 1 ? block : { ...block, document: { ...block.document, name: `${name} ${count}` } };
    }
    const { toolResult } = block;
    if (toolResult === undefined || !toolResult.content.some(({ document }) => document)) return block;
    return { ...block, toolResult: { ...toolResult, content: toolResult.content.map(rename) } };
  }

  return messages.map((message) =>
    hasDocument(message) ? { ...message, content: message.content.map(rename) } : message,
  );
}

function hasDocument({ content }: BedrockMessage): boolean {
  return content.some(({ document, toolResult }) => document ?? toolResult?.content.some((part) => part.document));
}

function fitFields(fields: JsonObject | undefined, room: ThinkingRoom): JsonObject | undefined {
  if (fields === undefined) return undefined;
  const { thinking, ...others } = fields;
  const fitted = { ...others, ...fitThinking(thinking, room) };
  return Object.keys(fitted).length === 0 ? undefined : fitted;
}

function openTurnOf(messages: readonly BedrockMessage[]): ThinkingRoom["openTurn"] {
  const last = messages.findLast(({ role }) => role === "assistant");
  const isOpen = last !== undefined && (last === messages.at(-1) || last.content.some(({ toolUse }) => toolUse));
  if (!isOpen) return "none";
  return last.content[0]?.reasoningContent === undefined ? "lacks-thinking" : "thinks";
}

/** Renders a message. The service refuses blank texts, and documents in a message without text. */
export function renderMessage({ role, blocks }: FlatMessage): readonly BedrockMessage[] {
  const content = blocks.flatMap(renderBlock);
  if (content.length === 0) return [];
  const isBare = content.some(({ document }) => document) && !content.some(({ text }) => text);
  return frozenCopy([{ role, content: isBare ? [...content, { text: "(document)" }] : content }]);
}

function renderBlock(block: Block | Part): BedrockBlock[] {
  if ("native" in block && isOwn(block.native)) return [block.native.block as BedrockBlock];
  switch (block.kind) {
    case "text":
      return renderText(block.text);
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
  return native?.provider === BEDROCK;
}

function renderText(text: string): BedrockBlock[] {
  return text.trim() === "" ? [] : [{ text }];
}

/** Renders thinking with its signature. The model refuses thinking without one. */
function renderThinking({ provider, text, signature }: Thinking): BedrockBlock[] {
  if (provider !== BEDROCK || signature === undefined) return [];
  return [{ reasoningContent: { reasoningText: { text, signature } } }];
}

function renderCall({ id, name, input }: ToolCall): BedrockBlock {
  return { toolUse: { toolUseId: toServiceId(id), name: toServiceId(name), input: toArguments(input) } };
}

/** Renders a tool result. A failed result must not be empty. */
function renderResult({ callId, content, status }: ToolResult): BedrockBlock {
  const parts = typeof content === "string" ? renderText(content) : content.flatMap(renderBlock);
  const isError = status === "error";
  const sent = parts.length === 0 && isError ? [{ text: "(no output)" }] : parts;
  return { toolResult: { toolUseId: toServiceId(callId), content: sent, ...(isError ? { status: "error" } : {}) } };
}

/** Returns a call id or a tool name that the service accepts: other services allow longer ones and other characters. */
function toServiceId(id: string): string {
  return shortenId(id.replace(/[^\w-]/g, "_"), 64) || "_";
}

/** Renders media as bytes: the service cannot load URLs. Documents need names; `nameDocuments` numbers equal ones. */
function renderMedia(media: Media): BedrockBlock {
  const { kind, source } = media;
  if (source.kind === "url" || source.data === "" || !canBeShown(media)) return { text: describeMedia(media) };
  const { mediaType, data: bytes } = source;
  if (kind === "image") return { image: { format: mediaType.slice("image/".length), source: { bytes } } };
  const format = DOCUMENT_FORMATS[mediaType] ?? "txt";
  return { document: { format, name: `document ${fingerprint(bytes)}`, source: { bytes } } };
}

const DOCUMENT_FORMATS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
};

/** Converts a request to the input of the client, which needs bytes instead of base64 text. */
export function toInput(request: BedrockRequest): ConverseStreamCommandInput {
  const messages = request.messages.map(({ role, content }) => ({ role, content: content.map(withBytes) }));
  const input: object = { ...request, messages };
  return input as ConverseStreamCommandInput;
}

function withBytes(block: BedrockBlock): object {
  const { image, document, toolResult, reasoningContent } = block;
  if (image !== undefined) return { image: { ...image, source: { bytes: base64Bytes(image.source.bytes) } } };
  if (document !== undefined) {
    return { document: { ...document, source: { bytes: base64Bytes(document.source.bytes) } } };
  }
  if (toolResult !== undefined) return { toolResult: { ...toolResult, content: toolResult.content.map(withBytes) } };
  const redacted = reasoningContent?.redactedContent;
  return redacted === undefined ? block : { reasoningContent: { redactedContent: base64Bytes(redacted) } };
}
