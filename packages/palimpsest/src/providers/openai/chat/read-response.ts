import { asCount, asObject, type JsonObject } from "../../../schema/json-fields.ts";
import type { ResponseContent } from "../../provider.ts";
import { toUsage } from "../../to-usage.ts";
import type { ChatResponse } from "../wire.ts";
import { readMessageBlocks } from "./read.ts";

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

/** Several servers report "stop" although the response contains calls. */
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

export function readUsage(usage: JsonObject): ResponseContent["usage"] {
  const details = asObject(usage["prompt_tokens_details"]);
  return toUsage({
    input: usage["prompt_tokens"],
    // DeepSeek uses the second name.
    cacheRead: asCount(details?.["cached_tokens"]) ?? usage["prompt_cache_hit_tokens"],
    cacheWrite: details?.["cache_write_tokens"],
    output: usage["completion_tokens"],
    reasoning: asObject(usage["completion_tokens_details"])?.["reasoning_tokens"],
  });
}
