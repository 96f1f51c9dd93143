import type { Block, Media, Native, Part, ToolCall, ToolResult } from "../../../log/block.ts";
import { asObject, asString, type JsonObject } from "../../../log/json-fields.ts";
import type { FlatMessage } from "../../../view/flat-message.ts";
import { frozenCopy } from "../../frozen-copy.ts";
import { canBeShown, describeMedia } from "../../media.ts";
import { fileNameOf, toUrl } from "../data-url.ts";
import { shortenId } from "../shorten-id.ts";
import { OPENAI_RESPONSES, type ResponsesItem } from "../wire.ts";

const MAXIMUM_ID_LENGTH = 64;

/**
 * A message as items. Ids that the service gave to its messages and calls are left out: with one, it insists on the
 * reasoning that came with it, which may be gone by now.
 */
export function renderMessage({ role, blocks }: FlatMessage): readonly ResponsesItem[] {
  const items = role === "assistant" ? renderAssistant(blocks) : renderUser(blocks);
  return frozenCopy(items) as unknown as readonly ResponsesItem[];
}

function renderAssistant(blocks: readonly Block[]): JsonObject[] {
  const items = blocks.flatMap((block): JsonObject[] => {
    if ("native" in block && isOwn(block.native)) return [renderNative(block.native, block)];
    switch (block.kind) {
      case "text":
        return [said("assistant", [{ type: "output_text", text: block.text }])];
      case "tool_call":
        return [renderCall(block)];
      // Reasoning that is not in the service's own form cannot be sealed again; the rest is not for a model to say.
      default:
        return [];
    }
  });
  // Reasoning without what it led to is refused.
  while (items.at(-1)?.["type"] === "reasoning") items.pop();
  return items;
}

function isOwn(native: Native | undefined): native is Native {
  return native?.provider === OPENAI_RESPONSES;
}

/** As it came; only the id of a call may have become another, where two had the same. */
function renderNative({ block: native }: Native, block: Block): JsonObject {
  const item = native as JsonObject;
  return block.kind === "tool_call" ? { ...item, call_id: shortenId(block.id, MAXIMUM_ID_LENGTH) } : item;
}

function renderCall({ id, name, input }: ToolCall): JsonObject {
  const call_id = shortenId(id, MAXIMUM_ID_LENGTH);
  return { type: "function_call", call_id, name, arguments: JSON.stringify(input ?? {}) };
}

function renderUser(blocks: readonly Block[]): JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push(said("user", parts));
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

function said(role: "user" | "assistant", content: readonly JsonObject[]): JsonObject {
  return { type: "message", role, content };
}

/** Whether it stands inside a message: all such are called input_something. */
function isPart({ block }: Native): boolean {
  return asString(asObject(block)?.["type"])?.startsWith("input_") ?? false;
}

/** There is no field for failure: what the result says must do. */
function renderResult({ callId, content }: ToolResult): JsonObject {
  const parts = typeof content === "string" ? [] : content.flatMap(renderPart);
  const [first] = parts;
  const text = typeof content === "string" ? content : parts.length === 0 ? "" : onlyText(first, parts.length);
  return { type: "function_call_output", call_id: shortenId(callId, MAXIMUM_ID_LENGTH), output: text ?? parts };
}

/** One text is written as such; older servers take nothing else. */
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
