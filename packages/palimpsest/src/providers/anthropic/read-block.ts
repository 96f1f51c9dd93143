import type { Block, Native, Part, Text } from "../../log/block.ts";
import { asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { toContent } from "../to-content.ts";
import { ANTHROPIC } from "./wire.ts";

/** Reads a content block of a response, or of a message that another program wrote; undefined if it is not a block. */
export function readBlock(value: unknown): Block | undefined {
  if (typeof value === "string") return { kind: "text", text: value };
  const block = asObject(value);
  if (block === undefined) return undefined;
  switch (block["type"]) {
    case "thinking":
    case "redacted_thinking":
      return readThinking(block);
    case "tool_use":
      return readCall(block);
    case "compaction":
      return readCompaction(block);
    case "tool_result":
      return {
        kind: "tool_result",
        callId: asString(block["tool_use_id"]) ?? "",
        content: readParts(block["content"]),
        status: block["is_error"] === true ? "error" : "ok",
      };
    default:
      return readPart(block);
  }
}

function readThinking(block: JsonObject): Block {
  const { thinking, signature } = block;
  const text = asString(thinking) ?? "";
  if (block["type"] === "thinking" && typeof signature === "string" && holdsOnly(block, ["thinking", "signature"]))
    return { kind: "thinking", provider: ANTHROPIC, text, signature };
  // Thinking without a signature is kept for reading and never sent back.
  if (block["type"] === "thinking" && typeof signature !== "string")
    return { kind: "thinking", provider: ANTHROPIC, text };
  return { kind: "thinking", provider: ANTHROPIC, text, native: toNative(block) };
}

/** Reads the summary that replaces the earlier conversation; undefined for a failed one, which replaces nothing. */
export function readCompaction(block: JsonObject): Text | undefined {
  const text = asString(block["content"]) ?? "";
  return block["type"] === "compaction" && text !== "" ? { kind: "text", text, native: toNative(block) } : undefined;
}

function readCall(block: JsonObject): Block {
  const { id, name, input } = block;
  return {
    kind: "tool_call",
    id: asString(id) ?? "",
    name: asString(name) ?? "",
    input,
    ...(holdsOnly(block, ["id", "name", "input"]) ? {} : { native: toNative(block) }),
  };
}

function readParts(content: unknown): string | readonly Part[] {
  if (typeof content === "string") return content;
  return toContent((asList(content) ?? []).map(readPart).filter((part) => part !== undefined));
}

function readPart(value: unknown): Part | undefined {
  if (typeof value === "string") return { kind: "text", text: value };
  const block = asObject(value);
  if (block === undefined) return undefined;
  const { type, text } = block;
  // A block without a type cannot be sent back, so its JSON is kept as text.
  if (typeof type !== "string") return { kind: "text", text: JSON.stringify(block) };
  if (type === "text" && typeof text === "string")
    return { kind: "text", text, ...(holdsOnly(block, ["text"]) ? {} : { native: toNative(block) }) };
  return readMedia(block) ?? { kind: "opaque", native: toNative(block) };
}

function readMedia(block: JsonObject): Part | undefined {
  const { type } = block;
  const source = asObject(block["source"]);
  if ((type !== "image" && type !== "document") || source === undefined || !holdsOnly(block, ["source"]))
    return undefined;
  const { media_type: mediaType, data, url } = source;
  if (source["type"] === "base64" && typeof mediaType === "string" && typeof data === "string")
    return { kind: type, source: { kind: "base64", mediaType, data } };
  if (source["type"] === "url" && typeof url === "string") return { kind: type, source: { kind: "url", url } };
  return undefined;
}

/**
 * Whether a block has only its type and these fields, so that our own form can reproduce it. Absent and default values
 * in responses, and other programs' cache marks, are not content.
 */
function holdsOnly(block: JsonObject, fields: readonly string[]): boolean {
  return Object.entries(block).every(
    ([name, value]) =>
      name === "type" ||
      name === "cache_control" ||
      fields.includes(name) ||
      value === null ||
      value === undefined ||
      (name === "caller" && asObject(value)?.["type"] === "direct"),
  );
}

function toNative({ cache_control: _, ...block }: JsonObject): Native {
  return { provider: ANTHROPIC, block };
}
