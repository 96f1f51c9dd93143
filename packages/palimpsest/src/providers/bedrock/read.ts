// Reads responses and messages of the Converse API.

import type { Block, Native, Part } from "../../log/block.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { asCount, asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { splitResults, toBase64, toContent } from "../content.ts";
import type { ResponseContent } from "../provider.ts";
import { BEDROCK, type BedrockResponse } from "./wire.ts";

/** Reads a whole response. */
export function readResponse({ modelId, output, stopReason, usage, $metadata }: BedrockResponse): ResponseContent {
  return {
    responseId: $metadata?.requestId ?? "",
    model: modelId ?? "",
    blocks: readBlocks(output?.message?.content ?? []),
    stop: STOPS.get(stopReason ?? "") ?? "other",
    usage: readUsage(asObject(usage) ?? {}),
  };
}

/** Reads messages of any program, even malformed ones. Each tool result becomes a separate message. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value) => {
    const message = asObject(value);
    if (message === undefined) return [];
    const { role, content } = message;
    const blocks = readBlocks(content);
    if (role === "assistant") return blocks.length === 0 ? [] : [{ role, blocks, origin: "model" }];
    return splitResults(blocks, role === "user" ? "human" : "host");
  });
}

/** Reads the content of a response, or of a message of any program. Cache points are not content. */
function readBlocks(content: unknown): Block[] {
  return (asList(content) ?? [content]).flatMap((value) => readBlock(value) ?? []);
}

function readBlock(value: unknown): Block | undefined {
  const block = typeof value === "string" ? { text: value } : asObject(value);
  if (block === undefined) return undefined;
  const { toolUse, toolResult, reasoningContent } = block;
  const reasoning = asObject(reasoningContent);
  if (reasoning !== undefined) return readReasoning(reasoning);
  const call = asObject(toolUse);
  if (call !== undefined) {
    const [id, name] = [asString(call["toolUseId"]) ?? "", asString(call["name"]) ?? ""];
    return { kind: "tool_call", id, name, input: call["input"] ?? {} };
  }
  const result = asObject(toolResult);
  if (result !== undefined) {
    const content = toContent((asList(result["content"]) ?? []).flatMap((part) => readPart(part) ?? []));
    const status = result["status"] === "error" ? "error" : "ok";
    return { kind: "tool_result", callId: asString(result["toolUseId"]) ?? "", content, status };
  }
  return readPart(block);
}

function readReasoning(reasoning: JsonObject): Block {
  const { text, signature } = asObject(reasoning["reasoningText"]) ?? {};
  const thinking = asString(text) ?? "";
  // Thinking without a signature is kept for reading and never sent back.
  if (reasoning["redactedContent"] === undefined) {
    const signed = typeof signature === "string" && signature !== "" ? { signature } : {};
    return { kind: "thinking", provider: BEDROCK, text: thinking, ...signed };
  }
  const redactedContent = toText(reasoning["redactedContent"]) ?? "";
  return {
    kind: "thinking",
    provider: BEDROCK,
    text: thinking,
    native: toNative({ reasoningContent: { redactedContent } }),
  };
}

function readPart(value: unknown): Part | undefined {
  const block = typeof value === "string" ? { text: value } : asObject(value);
  if (block === undefined || Object.keys(block).length === 0 || block["cachePoint"] !== undefined) return undefined;
  const { text, json } = block;
  if (typeof text === "string") return { kind: "text", text };
  if (json !== undefined) return { kind: "text", text: JSON.stringify(json) };
  return readMedia(block) ?? { kind: "opaque", native: toNative(block) };
}

function readMedia({ image, document }: JsonObject): Part | undefined {
  const media = asObject(image) ?? asObject(document);
  const format = asString(media?.["format"]);
  const data = toText(asObject(media?.["source"])?.["bytes"]);
  if (format === undefined || data === undefined) return undefined;
  const kind = asObject(image) === undefined ? "document" : "image";
  const mediaType = kind === "image" ? `image/${format}` : (DOCUMENT_TYPES[format] ?? "text/plain");
  return { kind, source: { kind: "base64", mediaType, data } };
}

const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  csv: "text/csv",
  html: "text/html",
  md: "text/markdown",
};

/** Returns bytes as base64 text: the client returns bytes, and other programs' messages may have text. */
function toText(value: unknown): string | undefined {
  return value instanceof Uint8Array ? toBase64(value) : asString(value);
}

function toNative(block: JsonObject): Native {
  return { provider: BEDROCK, block };
}

const STOPS: ReadonlyMap<string, ResponseContent["stop"]> = new Map([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["tool_use", "tools"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "window"],
  ["content_filtered", "refused"],
  ["guardrail_intervened", "refused"],
]);

/** Reads the usage. The input count does not include tokens that were read from the cache or written to it. */
export function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const details = (asList(usage["cacheDetails"]) ?? []).map((detail) => asObject(detail) ?? {});
  const longTokens = asCount(details.find(({ ttl }) => ttl === "1h")?.["inputTokens"]);
  return {
    freshTokens: asCount(usage["inputTokens"]) ?? 0,
    cacheReadTokens: asCount(usage["cacheReadInputTokens"]) ?? 0,
    cacheWriteTokens: asCount(usage["cacheWriteInputTokens"]) ?? 0,
    ...(longTokens ? { cacheWrite1hTokens: longTokens } : {}),
    outputTokens: asCount(usage["outputTokens"]) ?? 0,
  };
}
