// Reads responses and messages of Chat Completions.

import type { Block, Native, Part } from "../../../log/block.ts";
import type { MessagePayload } from "../../../log/payload.ts";
import { asCount, asList, asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import { fromUrl, parseInput, readParts, toContent, toUsage } from "../../content.ts";
import type { ResponseContent } from "../../provider.ts";
import { type ChatResponse, OPENAI_CHAT } from "../facts.ts";

/** Reads a whole response. */
export function readResponse(response: ChatResponse): ResponseContent {
  const choice = asObject(response.choices[0]) ?? {};
  const message = asObject(choice["message"]) ?? {};
  const blocks = readMessageBlocks(message);
  const hasCalls = blocks.some(({ kind }) => kind === "tool_call");
  const isRefused = typeof message["refusal"] === "string" && message["refusal"] !== "";
  return {
    responseId: response.id,
    model: response.model,
    blocks,
    stop: isRefused ? "refused" : readStop(choice["finish_reason"], hasCalls),
    usage: readUsage(asObject(response.usage) ?? {}),
  };
}

/** Reads messages that any program wrote in this form, even malformed ones. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value) => {
    const message = asObject(value);
    const payload = message === undefined ? undefined : readMessage(message);
    return payload === undefined || payload.blocks.length === 0 ? [] : [payload];
  });
}

function readMessage(message: JsonObject): MessagePayload {
  switch (message["role"]) {
    case "assistant":
      return { role: "assistant", origin: "model", blocks: readMessageBlocks(message) };
    case "tool":
      return { role: "user", origin: "tool", blocks: [readResult(message)] };
    default: {
      const origin = message["role"] === "user" ? "human" : "host";
      return { role: "user", origin, blocks: readParts(message["content"], readPart) };
    }
  }
}

/** Reads one model message: thinking, text and tool calls. */
function readMessageBlocks(message: JsonObject): Block[] {
  // Servers that return their reasoning use one of these two names.
  const thinking = asString(message["reasoning_content"]) ?? asString(message["reasoning"]) ?? "";
  const texts = [...readParts(message["content"], readPart), ...readParts(message["refusal"], readPart)];
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
  // Broken arguments are not sent back unchanged: `toArguments` wraps them.
  const isRaw = asObject(input) !== undefined && JSON.stringify(input) !== text;
  return {
    kind: "tool_call",
    id: asString(call["id"]) ?? "",
    name: asString(called["name"]) ?? "",
    input,
    ...(isRaw ? { native: toNative({ arguments: text }) } : {}),
  };
}

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

function readResult(message: JsonObject): MessagePayload["blocks"][number] {
  const content = toContent(readParts(message["content"], readPart));
  return { kind: "tool_result", callId: asString(message["tool_call_id"]) ?? "", content, status: "ok" };
}

/** Reads why a response ended. Several servers report "stop" for a response with tool calls. */
function readStop(reason: unknown, hasCalls: boolean): ResponseContent["stop"] {
  switch (reason) {
    case "stop":
    case "tool_calls":
    case "function_call":
      return hasCalls ? "tools" : "end";
    case "length":
      return "length";
    case "content_filter":
      return "refused";
    case "model_context_window_exceeded":
      return "window";
    default:
      return "other";
  }
}

/** Reads the usage of a response. */
export function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const details = asObject(usage["prompt_tokens_details"]);
  return toUsage({
    input: usage["prompt_tokens"],
    // `prompt_cache_hit_tokens` is the name that DeepSeek uses.
    cacheRead: asCount(details?.["cached_tokens"]) ?? usage["prompt_cache_hit_tokens"],
    cacheWrite: details?.["cache_write_tokens"],
    output: usage["completion_tokens"],
    reasoning: asObject(usage["completion_tokens_details"])?.["reasoning_tokens"],
  });
}
