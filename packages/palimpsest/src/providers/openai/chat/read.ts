import type { Block, Native, Part } from "../../../log/block.ts";
import { asList, asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import { fromUrl } from "../../data-url.ts";
import { parseInput } from "../../parse-input.ts";
import { readPartsBy } from "../read-parts.ts";
import { OPENAI_CHAT } from "../wire.ts";

/** Returns the blocks of one message of the model: thinking, text and calls. */
export function readMessageBlocks(message: JsonObject): Block[] {
  // Servers that show their reasoning use one of these two names.
  const thinking = asString(message["reasoning_content"]) ?? asString(message["reasoning"]) ?? "";
  const texts = [...readParts(message["content"]), ...readParts(message["refusal"])];
  const calls = (asList(message["tool_calls"]) ?? []).map(readCall).filter((call) => call !== undefined);
  return [
    ...(thinking === "" ? [] : [{ kind: "thinking", provider: OPENAI_CHAT, text: thinking } as const]),
    ...texts,
    ...calls,
  ];
}

function readCall(value: unknown): Block | undefined {
  const call = asObject(value);
  const called = asObject(call?.["function"]);
  if (call === undefined || called === undefined) return undefined;
  const text = asString(called["arguments"]) ?? "";
  const input = parseInput(text);
  // Broken arguments are not kept for later requests: see how calls are rendered.
  const isRaw = asObject(input) !== undefined && JSON.stringify(input) !== text;
  return {
    kind: "tool_call",
    id: asString(call["id"]) ?? "",
    name: asString(called["name"]) ?? "",
    input,
    ...(isRaw ? { native: toNative({ arguments: text }) } : {}),
  };
}

/** Reads content that is a text or a list of parts. */
export const readParts: (content: unknown) => Part[] = readPartsBy(readPart);

function readPart(part: JsonObject): Part {
  const { prompt_cache_breakpoint: _, cache_control: __, ...plain } = part;
  const text = asString(plain["text"]) ?? asString(plain["refusal"]);
  if (text !== undefined) return { kind: "text", text };
  const url = asString(asObject(plain["image_url"])?.["url"]) ?? asString(plain["image_url"]);
  if (url !== undefined) return { kind: "image", source: fromUrl(url) };
  const data = asString(asObject(plain["file"])?.["file_data"]);
  if (data !== undefined) return { kind: "document", source: fromUrl(data) };
  if (typeof plain["type"] === "string") return { kind: "opaque", native: toNative(plain) };
  return { kind: "text", text: JSON.stringify(plain) };
}

function toNative(block: JsonObject): Native {
  return { provider: OPENAI_CHAT, block };
}
