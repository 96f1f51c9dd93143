/** Messages and usage as services send them, for programs that see the traffic. */

import { asCount, asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import type { RecordedBlock, RecordedMessage, RecordedUsage } from "./recorded.ts";
import { toBlocks, toParts } from "./to-blocks.ts";
import { toCodexItem, toInput } from "./to-codex-item.ts";

/** An API whose traffic is understood: Anthropic Messages, OpenAI Responses, OpenAI Chat Completions. */
export type WireApi = (typeof WIRE_APIS)[number];
/** The APIs whose requests can be read. */
export const WIRE_APIS = ["messages", "responses", "chat"] as const;

/** One message or item of a conversation. */
export type WireMessage = Pick<RecordedMessage, "role" | "origin" | "blocks">;

/** Reads one message or item of a request or response. Undefined: the model never saw it. */
export function toWireMessage(api: WireApi, value: unknown): WireMessage | undefined {
  if (typeof value === "string") return { role: "user", origin: "human", blocks: toBlocks(value) };
  const item = asObject(value);
  if (item === undefined) return undefined;
  // The type of a message may be left out.
  if (api === "responses") return toCodexItem(item["type"] === undefined ? { ...item, type: "message" } : item);
  return api === "messages" ? toMessage(item) : toChatMessage(item);
}

/** The calls that a message answers. */
export function answeredCalls(message: WireMessage): readonly string[] {
  return message.blocks.flatMap((block) => (block.kind === "tool_result" ? [block.callId] : []));
}

function toMessage(item: JsonObject): WireMessage {
  const blocks = toBlocks(item["content"]);
  if (item["role"] === "assistant") return { role: "assistant", origin: "model", blocks };
  if (item["role"] !== "user") return { role: "system", origin: "agent", blocks };
  return { role: "user", origin: blocks.some(({ kind }) => kind === "tool_result") ? "tool" : "human", blocks };
}

function toChatMessage(item: JsonObject): WireMessage {
  const content = item["content"];
  switch (item["role"]) {
    case "assistant": {
      const calls = (asList(item["tool_calls"]) ?? []).map(toChatCall);
      const said = content === null || content === undefined || content === "" ? [] : toBlocks(content);
      return { role: "assistant", origin: "model", blocks: [...said, ...calls] };
    }
    case "tool": {
      const callId = asString(item["tool_call_id"]) ?? "";
      const result: RecordedBlock = { kind: "tool_result", callId, content: toParts(content), status: "unknown" };
      return { role: "user", origin: "tool", blocks: [result] };
    }
    case "user":
      return { role: "user", origin: "human", blocks: toBlocks(content) };
    default:
      return { role: "system", origin: "agent", blocks: toBlocks(content) };
  }
}

function toChatCall(value: unknown): RecordedBlock {
  const call = asObject(value) ?? {};
  const made = asObject(call["function"]) ?? {};
  return {
    kind: "tool_call",
    callId: asString(call["id"]) ?? "",
    name: asString(made["name"]) ?? "",
    input: toInput(made["arguments"]),
  };
}

/** The counted tokens of a response. */
export type WireUsage = Pick<
  RecordedUsage,
  "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "cacheWrite1hTokens" | "outputTokens" | "reasoningTokens"
>;

/** Reads the usage of a response. Undefined: there is none. */
export function toWireUsage(api: WireApi, value: unknown): WireUsage | undefined {
  const usage = asObject(value);
  if (usage === undefined) return undefined;
  if (api === "messages") return toMessagesUsage(usage);
  const [input, output] =
    api === "responses" ? ["input_tokens", "output_tokens"] : ["prompt_tokens", "completion_tokens"];
  const inputTokens = asCount(usage[input!]);
  if (inputTokens === undefined) return undefined;
  // OpenAI's input includes the tokens that were read from the cache and written to it.
  const details = asObject(usage[`${input}_details`]);
  const cacheReadTokens = Math.min(asCount(details?.["cached_tokens"]) ?? 0, inputTokens);
  const written = asCount(details?.["cache_write_tokens"]);
  const cacheWriteTokens = written === undefined ? undefined : Math.min(written, inputTokens - cacheReadTokens);
  return {
    freshTokens: inputTokens - cacheReadTokens - (cacheWriteTokens ?? 0),
    cacheReadTokens,
    outputTokens: asCount(usage[output!]) ?? 0,
    cacheWriteTokens,
    reasoningTokens: asCount(asObject(usage[`${output}_details`])?.["reasoning_tokens"]),
  };
}

function toMessagesUsage(usage: JsonObject): WireUsage | undefined {
  const freshTokens = asCount(usage["input_tokens"]);
  if (freshTokens === undefined) return undefined;
  return {
    freshTokens,
    cacheReadTokens: asCount(usage["cache_read_input_tokens"]) ?? 0,
    cacheWriteTokens: asCount(usage["cache_creation_input_tokens"]) ?? 0,
    outputTokens: asCount(usage["output_tokens"]) ?? 0,
    cacheWrite1hTokens: asCount(asObject(usage["cache_creation"])?.["ephemeral_1h_input_tokens"]),
    reasoningTokens: asCount(asObject(usage["output_tokens_details"])?.["thinking_tokens"]),
  };
}
