import type { Block, Native, Part } from "../../../log/block.ts";
import { asList, asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import { fromUrl } from "../../data-url.ts";
import { parseInput } from "../../parse-input.ts";
import { readPartsBy } from "../read-parts.ts";
import { OPENAI_RESPONSES } from "../wire.ts";

/** Reads an item of the model; undefined for an empty one. */
export function readOutputItem(item: JsonObject): Block | undefined {
  switch (item["type"]) {
    case undefined:
    case "message":
      return readStatements(item);
    case "function_call":
      return readCall(item);
    case "reasoning":
      return readReasoning(item);
    default:
      return { kind: "opaque", native: toNative(item) };
  }
}

function readStatements(item: JsonObject): Block | undefined {
  const content =
    typeof item["content"] === "string" ? [{ type: "output_text", text: item["content"] }] : item["content"];
  const parts = (asList(content) ?? []).map((part) => asSent(asObject(part) ?? {}));
  if (parts.length === 0) return undefined;
  const text = parts.map((part) => asString(part["text"]) ?? asString(part["refusal"]) ?? "").join("");
  const [only] = parts;
  const isPlain = parts.length === 1 && only?.["type"] === "output_text" && holdsOnly(only, ["text"]);
  if (isPlain && holdsOnly(item, ["role", "content"])) return { kind: "text", text };
  return { kind: "text", text, native: toNative({ ...asSent(item), content: parts }) };
}

function readCall(item: JsonObject): Block {
  const text = asString(item["arguments"]) ?? "";
  const input = parseInput(text);
  const isPlain = JSON.stringify(input) === text && holdsOnly(item, ["call_id", "name", "arguments"]);
  return {
    kind: "tool_call",
    id: asString(item["call_id"]) ?? "",
    name: asString(item["name"]) ?? "",
    input,
    ...(isPlain ? {} : { native: toNative({ ...asSent(item), arguments: text }) }),
  };
}

/**
 * Sealed reasoning is sent back as it came. Without its seal, it only refers to data that the service did not store.
 */
function readReasoning(item: JsonObject): Block {
  const texts = [...(asList(item["summary"]) ?? []), ...(asList(item["content"]) ?? [])]
    .map((part) => asString(asObject(part)?.["text"]))
    .filter((text) => text !== undefined);
  const isSealed = typeof item["encrypted_content"] === "string" && Array.isArray(item["summary"]);
  return {
    kind: "thinking",
    provider: OPENAI_RESPONSES,
    text: texts.join("\n\n"),
    ...(isSealed ? { native: toNative(item) } : {}),
  };
}

/** Reads the user's content of a message, or of a tool output: a text, or a list of parts. */
export const readParts: (content: unknown) => Part[] = readPartsBy(readPart);

function readPart(part: JsonObject): Part {
  const { prompt_cache_breakpoint: _, ...plain } = part;
  const { text, image_url: imageUrl, file_url: fileUrl, file_data: fileData } = plain;
  if (typeof text === "string") return { kind: "text", text };
  if (typeof imageUrl === "string") return { kind: "image", source: fromUrl(imageUrl) };
  if (typeof fileUrl === "string") return { kind: "document", source: { kind: "url", url: fileUrl } };
  if (typeof fileData === "string") return { kind: "document", source: fromUrl(fileData) };
  if (typeof plain["type"] === "string") return { kind: "opaque", native: toNative(plain) };
  return { kind: "text", text: JSON.stringify(plain) };
}

/** Removes the fields that the service added, and those that the client added by parsing: neither may be sent back. */
function asSent({ id: _, status: __, parsed_arguments: ___, parsed: ____, ...sent }: JsonObject): JsonObject {
  return sent;
}

/** Empty if no other field is set. */
const BESIDES: readonly string[] = ["type", "annotations", "logprobs"];

function holdsOnly(object: JsonObject, fields: readonly string[]): boolean {
  return Object.entries(asSent(object)).every(([name, value]) => {
    if (fields.includes(name) || value === null || value === undefined) return true;
    if (name === "caller") return asObject(value)?.["type"] === "direct";
    return BESIDES.includes(name) && (!Array.isArray(value) || value.length === 0);
  });
}

export function toNative(block: JsonObject): Native {
  return { provider: OPENAI_RESPONSES, block };
}
