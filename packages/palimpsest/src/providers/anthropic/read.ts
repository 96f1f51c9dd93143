// Reads responses and messages of the Messages API.

import type { Block, Native, Part, Text } from "../../log/block.ts";
import type { CacheDiagnosis } from "../../log/cause.ts";
import type { MessagePayload } from "../../log/payload.ts";
import type { AppliedEdits } from "../../log/payload-compaction.ts";
import { asCount, asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { splitResults, toContent } from "../content.ts";
import type { ProviderCompaction, ResponseContent } from "../provider.ts";
import { ANTHROPIC, type AnthropicResponse } from "./facts.ts";

/** Reads a whole response. */
export function readResponse(response: AnthropicResponse): ResponseContent {
  const usage = asObject(response.usage) ?? {};
  return {
    responseId: response.id,
    model: response.model,
    ...readContent(
      response.content.map((block) => asObject(block) ?? {}),
      usage,
    ),
    stop: STOPS.get(response.stop_reason ?? "") ?? "other",
    usage: readUsage(usage),
    ...readEdits(asList(asObject(asObject(response)?.["context_management"])?.["applied_edits"]) ?? []),
    ...readDiagnosis(asObject(asObject(response.diagnostics)?.["cache_miss_reason"])),
  };
}

/**
 * Reads messages that any program wrote in this form, even malformed ones. Each tool result becomes a separate message.
 */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value) => {
    const message = asObject(value);
    if (message === undefined) return [];
    const { role, content } = message;
    const blocks = (asList(content) ?? [content]).map(readBlock).filter((block) => block !== undefined);
    if (role === "assistant") return blocks.length === 0 ? [] : [{ role, blocks, origin: "model" }];
    // Instructions inside the conversation (`system`) and unknown roles count as text from the host program.
    return splitResults(blocks, role === "user" ? "human" : "host");
  });
}

/**
 * Reads the blocks of a response. A summary replaces all earlier blocks: "the API ignores everything before the block".
 */
function readContent(
  content: readonly JsonObject[],
  usage: JsonObject,
): Pick<ResponseContent, "blocks"> & { compaction?: ProviderCompaction } {
  const at = content.findLastIndex((block) => readCompaction(block) !== undefined);
  const blocks = content
    .slice(at + 1)
    .map(readBlock)
    .filter((block) => block !== undefined);
  const block = at < 0 ? undefined : readCompaction(content[at]!);
  if (block === undefined) return { blocks };
  const passes = passesOf(usage).filter((pass) => pass["type"] === "compaction");
  return { blocks, compaction: { block, usage: sumOf(passes.map(readCounts)) } };
}

/** Reads a content block of a response, or of a message that another program wrote; undefined if it is not a block. */
function readBlock(value: unknown): Block | undefined {
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

/** Reads the summary of a compaction. Undefined for a failed compaction, which replaces nothing. */
function readCompaction(block: JsonObject): Text | undefined {
  const text = asString(block["content"]) ?? "";
  return block["type"] === "compaction" && text !== "" ? { kind: "text", text, native: toNative(block) } : undefined;
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
 * Whether a block has only its type and these fields, so that our own form can reproduce the block. Absent and default
 * values in responses are not content, and neither are other programs' cache marks.
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

const STOPS: ReadonlyMap<string, ResponseContent["stop"]> = new Map([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["tool_use", "tools"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "window"],
  ["pause_turn", "paused"],
  ["refusal", "refused"],
  ["compaction", "compacted"],
]);

/**
 * Reads the usage. The API's input count covers only the tokens after the last cache mark; the whole input is this
 * count plus cache reads and writes. If the service made several passes, the last pass that wrote the message shows the
 * size of the current context. The totals do not include compaction passes.
 */
export function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const input = passesOf(usage).findLast((pass) => pass["type"] === "message") ?? usage;
  const reasoningTokens = asCount(asObject(usage["output_tokens_details"])?.["thinking_tokens"]);
  return {
    ...readCounts(input),
    outputTokens: asCount(usage["output_tokens"]) ?? 0,
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}

function passesOf(usage: JsonObject): readonly JsonObject[] {
  return (asList(usage["iterations"]) ?? []).map((pass) => asObject(pass) ?? {});
}

function readCounts(counts: JsonObject): ResponseContent["usage"] {
  const longTokens = asCount(asObject(counts["cache_creation"])?.["ephemeral_1h_input_tokens"]);
  return {
    freshTokens: asCount(counts["input_tokens"]) ?? 0,
    cacheReadTokens: asCount(counts["cache_read_input_tokens"]) ?? 0,
    cacheWriteTokens: asCount(counts["cache_creation_input_tokens"]) ?? 0,
    ...(longTokens ? { cacheWrite1hTokens: longTokens } : {}),
    outputTokens: asCount(counts["output_tokens"]) ?? 0,
  };
}

function sumOf(passes: readonly ResponseContent["usage"][]): ResponseContent["usage"] {
  const sum = (field: "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "cacheWrite1hTokens" | "outputTokens") =>
    passes.reduce((total, pass) => total + (pass[field] ?? 0), 0);
  const longTokens = sum("cacheWrite1hTokens");
  return {
    freshTokens: sum("freshTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    ...(longTokens === 0 ? {} : { cacheWrite1hTokens: longTokens }),
    outputTokens: sum("outputTokens"),
  };
}

/**
 * Reads the edits that the service applied; empty if it cleared nothing. A compaction is a block of the response, not
 * an edit.
 */
function readEdits(edits: readonly unknown[]): { appliedEdits?: AppliedEdits } {
  const sumOf = (field: string): number =>
    edits.reduce((sum: number, edit) => sum + (asCount(asObject(edit)?.[field]) ?? 0), 0);
  const applied = {
    results: sumOf("cleared_tool_uses"),
    thinkingTurns: sumOf("cleared_thinking_turns"),
    tokens: sumOf("cleared_input_tokens"),
  };
  return applied.results + applied.thinkingTurns === 0 ? {} : { appliedEdits: applied };
}

/**
 * Reads the cache diagnosis; empty if the request did not ask for it, or the service found no difference or is not done
 * comparing.
 */
function readDiagnosis(missed: JsonObject | undefined): { cacheDiagnosis?: CacheDiagnosis } {
  if (missed === undefined) return {};
  const missedTokens = asCount(missed["cache_missed_input_tokens"]);
  const reason = REASONS.get(asString(missed["type"]) ?? "") ?? "unknown";
  return { cacheDiagnosis: { reason, missedTokens } };
}

/** Reasons by the service's names. `unavailable` is not listed: it covers several causes. */
const REASONS: ReadonlyMap<string, CacheDiagnosis["reason"]> = new Map([
  ["model_changed", "model"],
  ["tools_changed", "tools"],
  ["system_changed", "system"],
  ["messages_changed", "messages"],
]);
