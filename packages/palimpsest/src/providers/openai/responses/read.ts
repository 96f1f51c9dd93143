// Reads responses and items of the Responses API.

import { type Block, type Native, type Part, TOOL_SEARCH, type ToolCall } from "../../../log/block.ts";
import type { CacheDiagnosis } from "../../../log/cause.ts";
import type { MessagePayload } from "../../../log/payload.ts";
import { asCount, asList, asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import { fromUrl, parseInput, readParts, toContent, toUsage } from "../../content.ts";
import type { ProviderCompaction, ResponseContent } from "../../provider.ts";
import { OPENAI_RESPONSES, type ResponsesResponse } from "../facts.ts";

/** Reads a whole response. */
export function readResponse(response: ResponsesResponse): ResponseContent {
  const items = response.output.map((item): JsonObject => ({ ...item }));
  return {
    responseId: response.id,
    model: response.model,
    ...readOutput(items),
    stop: readStop(response, items),
    usage: readUsage(asObject(response.usage) ?? {}),
    ...readDiagnosis(asObject(response.prompt_cache_diagnostics)),
  };
}

/**
 * Reads items that any program wrote in this form, even malformed ones. Consecutive model items become one
 * message.
 */
export function readMessages(items: readonly unknown[]): readonly MessagePayload[] {
  const payloads: MessagePayload[] = [];
  let answer: Block[] = [];
  const flush = (): void => {
    if (answer.length > 0) payloads.push({ role: "assistant", blocks: answer, origin: "model" });
    answer = [];
  };
  for (const value of items) {
    const item = asObject(value);
    if (item === undefined || asString(item["type"] ?? item["role"]) === undefined) continue;
    if (isOfModel(item)) {
      const block = readOutputItem(item);
      if (block !== undefined) answer.push(block);
      continue;
    }
    flush();
    const payload = readInputItem(item);
    if (payload !== undefined) payloads.push(payload);
  }
  flush();
  return payloads;
}

/**
 * Reads the output items. A compaction item replaces the items before it, which "may be dropped". The usage of the
 * response includes the compaction.
 */
function readOutput(
  items: readonly JsonObject[],
): Pick<ResponseContent, "blocks"> & { compaction?: ProviderCompaction } {
  const at = items.findLastIndex((item) => item["type"] === "compaction");
  const blocks = items
    .slice(at + 1)
    .map((item) => (isSearch(item) ? readSearch(item) : readOutputItem(item)))
    .filter((block) => block !== undefined);
  return at < 0 ? { blocks } : { blocks, compaction: { block: { kind: "opaque", native: toNative(items[at]!) } } };
}

/** Whether an item is a tool search that the client must execute. */
function isSearch(item: JsonObject): boolean {
  return item["type"] === "tool_search_call" && item["execution"] === "client";
}

/** Reads a tool search as a tool call. Like every call, it is sent back without the service's id. */
function readSearch({ call_id: id, arguments: input = {} }: JsonObject): ToolCall {
  return { kind: "tool_call", id: asString(id) ?? "", name: TOOL_SEARCH, input };
}

/** Reads an output item of the model; undefined for an empty message. */
function readOutputItem(item: JsonObject): Block | undefined {
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
 * Reads reasoning. Encrypted reasoning is sent back unchanged. Without encrypted content, an item only refers to data
 * that the service did not store.
 */
function readReasoning(item: JsonObject): Block {
  const texts = [...(asList(item["summary"]) ?? []), ...(asList(item["content"]) ?? [])]
    .map((part) => asString(asObject(part)?.["text"]))
    .filter((text) => text !== undefined);
  const isEncrypted = typeof item["encrypted_content"] === "string" && Array.isArray(item["summary"]);
  return {
    kind: "thinking",
    provider: OPENAI_RESPONSES,
    text: texts.join("\n\n"),
    ...(isEncrypted ? { native: toNative(item) } : {}),
  };
}

/** Removes the fields that the service or the parser of the client has added. They must not be sent back. */
function asSent({ id: _, status: __, parsed_arguments: ___, parsed: ____, ...sent }: JsonObject): JsonObject {
  return sent;
}

/** Whether an item has only these fields, so that our own form can reproduce the item. */
function holdsOnly(object: JsonObject, fields: readonly string[]): boolean {
  return Object.entries(asSent(object)).every(([name, value]) => {
    if (fields.includes(name) || value === null || value === undefined) return true;
    if (name === "caller") return asObject(value)?.["type"] === "direct";
    return NEUTRAL_FIELDS.includes(name) && (!Array.isArray(value) || value.length === 0);
  });
}

/** Fields that an otherwise plain item may also have, with empty values. */
const NEUTRAL_FIELDS: readonly string[] = ["type", "annotations", "logprobs"];

function toNative(block: JsonObject): Native {
  return { provider: OPENAI_RESPONSES, block };
}

function isOfModel({ type = "message", role }: JsonObject): boolean {
  return type === "message" ? role === "assistant" : !asString(type)?.endsWith("_output");
}

/** Reads an item that the user, the host or a tool wrote. */
function readInputItem(item: JsonObject): MessagePayload | undefined {
  if (item["type"] === "function_call_output") {
    const content = toContent(readParts(item["output"], readPart));
    const callId = asString(item["call_id"]) ?? "";
    return { role: "user", origin: "tool", blocks: [{ kind: "tool_result", callId, content, status: "ok" }] };
  }
  if (item["type"] !== undefined && item["type"] !== "message") {
    const block = readOutputItem(item);
    return block && { role: "user", origin: "tool", blocks: [block] };
  }
  const blocks = readParts(item["content"], readPart);
  const origin = item["role"] === "user" ? "human" : "host";
  return blocks.length === 0 ? undefined : { role: "user", origin, blocks };
}

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

function readStop(response: ResponsesResponse, items: readonly JsonObject[]): ResponseContent["stop"] {
  if (response.status === "incomplete") {
    const { reason } = response.incomplete_details ?? {};
    return reason === "max_output_tokens" ? "length" : reason === "content_filter" ? "refused" : "other";
  }
  if (response.status !== undefined && response.status !== "completed") return "other";
  if (items.some((item) => item["type"] === "function_call" || isSearch(item))) return "tools";
  if (items.length > 0 && items.every((item) => item["type"] === "compaction")) return "compacted";
  return items.some(isRefusal) ? "refused" : "end";
}

function isRefusal({ content }: JsonObject): boolean {
  return Array.isArray(content) && content.some((part) => asObject(part)?.["type"] === "refusal");
}

function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const details = asObject(usage["input_tokens_details"]);
  return toUsage({
    input: usage["input_tokens"],
    cacheRead: details?.["cached_tokens"],
    cacheWrite: details?.["cache_write_tokens"],
    output: usage["output_tokens"],
    reasoning: asObject(usage["output_tokens_details"])?.["reasoning_tokens"],
  });
}

function readDiagnosis(diagnostics: JsonObject | undefined): { cacheDiagnosis?: CacheDiagnosis } {
  switch (diagnostics?.["type"]) {
    case undefined:
      return {};
    case "cache_hit":
      return { cacheDiagnosis: { reason: "nowhere" } };
    case "cache_miss": {
      const missedTokens = asCount(diagnostics["cache_missed_tokens"]);
      const reason = REASONS.get(asString(diagnostics["reason"]) ?? "") ?? "parameters";
      return { cacheDiagnosis: { reason, missedTokens } };
    }
    default:
      return { cacheDiagnosis: { reason: "unknown" } };
  }
}

/** Reasons by the service's names. A changed system prompt counts as changed input; every other name is a setting. */
const REASONS: ReadonlyMap<string, CacheDiagnosis["reason"]> = new Map([
  ["model_changed", "model"],
  ["tools_changed", "tools"],
  ["input_changed", "messages"],
  ["context_compacted", "messages"],
]);
