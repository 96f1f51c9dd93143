import { asCount, asObject, type JsonObject } from "../../../log/json-fields.ts";
import type { ResponseContent } from "../../provider.ts";
import type { ChatResponse } from "../wire.ts";
import { readMessageBlocks } from "./read-message.ts";

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

/** Several servers say "stop" although there are calls to answer. */
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

/** The input count is the whole input: what was read from the cache and written to it is part of it. */
export function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const details = asObject(usage["prompt_tokens_details"]);
  // The second name is that of DeepSeek.
  const cacheReadTokens = asCount(details?.["cached_tokens"]) ?? asCount(usage["prompt_cache_hit_tokens"]) ?? 0;
  const cacheWriteTokens = asCount(details?.["cache_write_tokens"]) ?? 0;
  const reasoningTokens = asCount(asObject(usage["completion_tokens_details"])?.["reasoning_tokens"]);
  return {
    freshTokens: Math.max(0, (asCount(usage["prompt_tokens"]) ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asCount(usage["completion_tokens"]) ?? 0,
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}
