import type { Block, Media, Native, Part, Thinking, ToolCall, ToolResult } from "../../log/block.ts";
import type { FlatMessage } from "../../view/flat-message.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { canBeShown, describeMedia } from "../media.ts";
import { fingerprint, shortenId } from "../shorten-id.ts";
import { toArguments } from "../to-arguments.ts";
import { BEDROCK, type BedrockBlock, type BedrockMessage } from "./wire.ts";

/** Renders a message. The service refuses blank texts, and a document without a text beside it. */
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

/** The model refuses thinking that it did not sign. */
function renderThinking({ provider, text, signature }: Thinking): BedrockBlock[] {
  if (provider !== BEDROCK || signature === undefined) return [];
  return [{ reasoningContent: { reasoningText: { text, signature } } }];
}

/** Ids of other services may be longer, or have other characters. */
function toCallId(id: string): string {
  return shortenId(id.replace(/[^\w-]/g, "_"), 64) || "_";
}

function toToolName(name: string): string {
  return shortenId(name.replace(/[^\w-]/g, "_"), 64) || "_";
}

function renderCall({ id, name, input }: ToolCall): BedrockBlock {
  return { toolUse: { toolUseId: toCallId(id), name: toToolName(name), input: toArguments(input) } };
}

/** A failed call must say something. */
function renderResult({ callId, content, status }: ToolResult): BedrockBlock {
  const parts = typeof content === "string" ? renderText(content) : content.flatMap(renderBlock);
  const isError = status === "error";
  const said = parts.length === 0 && isError ? [{ text: "(no output)" }] : parts;
  return { toolResult: { toolUseId: toCallId(callId), content: said, ...(isError ? { status: "error" } : {}) } };
}

const DOCUMENT_FORMATS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
};

/** The service reads no addresses of the web. Documents need names; equal ones are told apart in the request. */
function renderMedia(media: Media): BedrockBlock {
  const { kind, source } = media;
  if (source.kind === "url" || source.data === "" || !canBeShown(media)) return { text: describeMedia(media) };
  const { mediaType, data: bytes } = source;
  if (kind === "image") return { image: { format: mediaType.slice("image/".length), source: { bytes } } };
  const format = DOCUMENT_FORMATS[mediaType] ?? "txt";
  return { document: { format, name: `document ${fingerprint(bytes)}`, source: { bytes } } };
}
