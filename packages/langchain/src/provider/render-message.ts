import type { Block, Part, ToolResult } from "palimpsest";
import { asObject, type JsonObject } from "palimpsest/core";
import {
  canBeShown,
  describeMedia,
  type FlatMessage,
  frozenCopy,
  type Media,
  type Native,
  toUrl,
} from "palimpsest/provider-parts";
import { LANGCHAIN, type LangChainCall, type LangChainMessage, type LangChainPart } from "./wire.ts";

/** Renders a message as plain data: each result is a message of its own. */
export function renderMessage({ role, blocks }: FlatMessage): readonly LangChainMessage[] {
  if (role === "assistant") {
    const content = blocks.flatMap(renderAnswer);
    const tool_calls = blocks.flatMap(renderCall);
    const answer: LangChainMessage = { type: "ai", content, tool_calls };
    return content.length + tool_calls.length === 0 ? [] : frozenCopy([answer]);
  }
  const results = blocks.flatMap((block) => (block.kind === "tool_result" ? [renderResult(block)] : []));
  const content = blocks.flatMap((block) => (block.kind === "tool_result" ? [] : renderShown(block)));
  const words: readonly LangChainMessage[] = content.length === 0 ? [] : [{ type: "human", content }];
  return frozenCopy([...results, ...words]);
}

function renderAnswer(block: Block): readonly LangChainPart[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...ownFields(block.native) }];
    case "thinking":
      return block.provider === LANGCHAIN && block.native !== undefined ? [ownFields(block.native)] : [];
    case "tool_call":
      // Services without parts for calls take them from the list of calls.
      if (block.native?.provider !== LANGCHAIN) return [];
      return [{ ...ownFields(block.native), id: block.id, name: block.name, input: toArguments(block.input) }];
    case "tool_result":
      return [];
    default:
      return renderShown(block);
  }
}

function renderCall(block: Block): readonly LangChainCall[] {
  if (block.kind !== "tool_call") return [];
  return [{ type: "tool_call", id: block.id, name: block.name, args: toArguments(block.input) }];
}

/** Services accept only an object, so a model's broken JSON, or a plain value, is wrapped in one. */
function toArguments(input: unknown): JsonObject {
  return asObject(input) ?? (input === undefined ? {} : { input });
}

function renderResult({ callId, content, status }: ToolResult): LangChainMessage {
  const given: readonly Part[] = typeof content === "string" ? [{ kind: "text", text: content }] : content;
  const parts = given.flatMap(renderShown);
  return { type: "tool", content: parts, tool_call_id: callId, status: status === "error" ? "error" : "success" };
}

function renderShown(block: Part | Block): readonly LangChainPart[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "image":
    case "document":
      return [renderMedia(block)];
    case "opaque":
      return block.native.provider === LANGCHAIN ? [ownFields(block.native)] : [];
    default:
      return [];
  }
}

/** In the forms that models of all services take. */
function renderMedia(media: Media): LangChainPart {
  const { kind, source } = media;
  if (!canBeShown(media)) return { type: "text", text: describeMedia(media) };
  if (kind === "document") {
    return source.kind === "url"
      ? { type: "file", url: source.url }
      : { type: "file", mimeType: source.mediaType, data: source.data };
  }
  return { type: "image_url", image_url: { url: toUrl(source) } };
}

function ownFields(native: Native | undefined): JsonObject {
  return native?.provider === LANGCHAIN ? (asObject(native.block) ?? {}) : {};
}
