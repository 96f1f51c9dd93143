import type { Block, Native, Part, Text } from "../../log/block.ts";
import { asList, asObject, asString, type JsonObject } from "../../log/json-fields.ts";
import { toContent } from "../to-content.ts";
import { ANTHROPIC } from "./wire.ts";

/** A content block of a response, or of a message that another program wrote; undefined for what is none. */
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
  // Thinking that nobody signed is kept to be read, and never sent back.
  if (block["type"] === "thinking" && typeof signature !== "string")
    return { kind: "thinking", provider: ANTHROPIC, text };
  return { kind: "thinking", provider: ANTHROPIC, text, native: toNative(block) };
}

/** The summary that stands for what came before; undefined for one that failed, which stands for nothing. */
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
  // Nothing without a type can be sent back: it is kept as what it says.
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
 * Whether a block says nothing but its type and these fields, so that our words give it back. Responses spell out what is
 * absent or the default, and programs leave marks of their own; neither is content.
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
