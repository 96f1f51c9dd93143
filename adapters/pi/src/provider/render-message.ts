// Renders messages in the form of pi.

import type { Block, Part, ToolResult } from "palimpsest";
import {
  canBeShown,
  describeMedia,
  type FlatMessage,
  frozenCopy,
  type Media,
  type Native,
  toArguments,
} from "palimpsest/provider-parts";
import { asObject, asString, type JsonObject } from "palimpsest/schema";
import { type Author, PI, type PiMessage } from "./wire.ts";

/** Renders a message. Each result becomes a separate message. Content is always a list, so moving a mark changes no other byte. */
export function renderMessage({ role, blocks }: FlatMessage): readonly PiMessage[] {
  const messages = role === "assistant" ? renderAnswer(blocks) : renderInput(blocks);
  return frozenCopy(messages) as unknown as readonly PiMessage[];
}

function renderAnswer(blocks: readonly Block[]): JsonObject[] {
  const content = blocks.flatMap(renderWritten);
  if (content.length === 0) return [];
  const hasCalls = content.some(({ type }) => type === "toolCall");
  const stopReason = hasCalls ? "toolUse" : "stop";
  return [{ role: "assistant", content, ...(blocks.map(authorOf).find(Boolean) ?? NOBODY), ...UNSENT, stopReason }];
}

const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** Fields that pi's messages must have, but that no service receives. */
const UNSENT = { usage: { ...NO_TOKENS, totalTokens: 0, cost: { ...NO_TOKENS, total: 0 } }, timestamp: 0 };
const NOBODY: Author = { api: "", provider: "", model: "" };

function renderWritten(block: Block): readonly JsonObject[] {
  const { author: _, ...own } = "native" in block ? ownFields(block.native) : {};
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...own }];
    case "thinking":
      return block.provider === PI ? [{ type: "thinking", thinking: block.text, ...own }] : [];
    case "tool_call":
      return [{ type: "toolCall", id: block.id, name: block.name, arguments: toArguments(block.input), ...own }];
    default:
      return [];
  }
}

function renderInput(blocks: readonly Block[]): JsonObject[] {
  const results = blocks.flatMap((block) => (block.kind === "tool_result" ? [renderResult(block)] : []));
  const content = blocks.flatMap((block) => (block.kind === "tool_result" ? [] : renderShown(block)));
  return content.length === 0 ? results : [...results, { role: "user", content, timestamp: 0 }];
}

/** Renders a result. The request adds the name of the tool, which only the call has. */
function renderResult({ callId, content, status }: ToolResult): JsonObject {
  const contentParts: readonly Part[] = typeof content === "string" ? [{ kind: "text", text: content }] : content;
  const shown = contentParts.flatMap(renderShown);
  const isError = status === "error";
  return { role: "toolResult", toolCallId: callId, toolName: "", content: shown, isError, timestamp: 0 };
}

function renderShown(part: Part | Block): readonly JsonObject[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "image":
    case "document":
      return [renderMedia(part)];
    default:
      return [];
  }
}

/** Renders images as bytes, and describes other media, because pi accepts only images. */
function renderMedia(media: Media): JsonObject {
  const { kind, source } = media;
  if (kind === "document" || source.kind === "url" || !canBeShown(media)) {
    return { type: "text", text: describeMedia(media) };
  }
  return { type: "image", data: source.data, mimeType: source.mediaType };
}

function authorOf(block: Block): Author | undefined {
  const author = "native" in block ? asObject(ownFields(block.native)["author"]) : undefined;
  return asString(author?.["model"]) === undefined ? undefined : (author as unknown as Author);
}

function ownFields(native: Native | undefined): JsonObject {
  return native?.provider === PI ? (asObject(native.block) ?? {}) : {};
}
