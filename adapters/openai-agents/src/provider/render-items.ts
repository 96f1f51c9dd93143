// Renders messages as items of the SDK.

import type { Block, Part, ToolCall, ToolResult } from "palimpsest";
import { type FlatMessage, fileNameOf, frozenCopy, type Media, type Native, toUrl } from "palimpsest/provider-parts";
import { asObject, asString, type JsonObject } from "palimpsest/schema";
import { AGENTS, type AgentsItem } from "./wire.ts";

/**
 * Renders a message as items of the SDK. The service's ids of messages and calls are left out: an item with an id requires the
 * reasoning that came with it, which may be gone.
 */
export function renderMessage({ role, blocks }: FlatMessage): readonly AgentsItem[] {
  const items = role === "assistant" ? renderAnswer(blocks) : renderInput(blocks);
  return frozenCopy(items) as unknown as readonly AgentsItem[];
}

function renderAnswer(blocks: readonly Block[]): JsonObject[] {
  const items = blocks.flatMap((block): readonly JsonObject[] => {
    switch (block.kind) {
      case "text":
        return block.text === "" ? [] : [renderText(block.text, ownFields(block.native))];
      case "tool_call":
        return [renderCall(block)];
      case "thinking":
        return block.provider === AGENTS && block.native !== undefined ? [ownFields(block.native)] : [];
      case "opaque":
        return renderOpaque(ownFields(block.native));
      default:
        return [];
    }
  });
  // The service refuses reasoning without the item that follows it.
  while (items.at(-1)?.["type"] === "reasoning") items.pop();
  return items;
}

function renderText(text: string, { type, ...phase }: JsonObject): JsonObject {
  const part = type === "refusal" ? { type, refusal: text } : { type: "output_text", text };
  return answered([part], phase);
}

function answered(content: readonly JsonObject[], own: JsonObject = {}): JsonObject {
  return { type: "message", role: "assistant", status: "completed", content, ...own };
}

function renderOpaque(own: JsonObject): readonly JsonObject[] {
  const part = asObject(own["part"]);
  if (part !== undefined) return [answered([part])];
  return asString(own["type"]) === undefined ? [] : [own];
}

function renderCall({ id: callId, name, input, native }: ToolCall): JsonObject {
  const written = { type: "function_call", callId, name, arguments: JSON.stringify(input ?? {}), status: "completed" };
  return { ...written, ...ownFields(native) };
}

function renderInput(blocks: readonly Block[]): JsonObject[] {
  const results = blocks.flatMap((block) => (block.kind === "tool_result" ? [renderResult(block)] : []));
  const content = blocks.flatMap((block) => (block.kind === "tool_result" ? [] : renderPart(block)));
  return content.length === 0 ? results : [...results, { type: "message", role: "user", content }];
}

/** Renders a result. The form has no field for failures, so the text must report them. Older services need one text as a string. */
function renderResult({ callId, content }: ToolResult): JsonObject {
  const parts = typeof content === "string" ? [] : content.flatMap(renderPart);
  const [first] = parts;
  const isText = parts.length === 1 && first?.["type"] === "input_text";
  const output = typeof content === "string" ? content : isText ? first["text"] : parts;
  return { type: "function_call_result", callId, status: "completed", output };
}

function renderPart(part: Part | Block): readonly JsonObject[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ type: "input_text", text: part.text }];
    case "image":
    case "document":
      return [renderMedia(part)];
    case "opaque":
      return part.native.provider === AGENTS ? [ownFields(part.native)] : [];
    default:
      return [];
  }
}

/** Renders a file of any type, because only the service knows which files a model accepts. */
function renderMedia(media: Media): JsonObject {
  const { kind, source } = media;
  const own = ownFields(media.native);
  const url = toUrl(source);
  if (kind === "image") return { type: "input_image", image: url, ...own };
  if (source.kind === "url") return { type: "input_file", file: { url }, ...own };
  return { type: "input_file", file: url, filename: fileNameOf(source), ...own };
}

function ownFields(native: Native | undefined): JsonObject {
  return native?.provider === AGENTS ? (asObject(native.block) ?? {}) : {};
}
