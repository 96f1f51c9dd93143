import { asCount, asList, asObject, type JsonObject } from "../../schema/json-fields.ts";
import type { ResponseContent } from "../provider.ts";
import { readBlocks } from "./read.ts";
import type { BedrockResponse } from "./wire.ts";

export function readResponse({ modelId, output, stopReason, usage, $metadata }: BedrockResponse): ResponseContent {
  return {
    responseId: $metadata?.requestId ?? "",
    model: modelId ?? "",
    blocks: readBlocks(output?.message?.content ?? []),
    stop: STOPS.get(stopReason ?? "") ?? "other",
    usage: readUsage(asObject(usage) ?? {}),
  };
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

/** The count of the input leaves out what was read from the cache or written to it. */
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
