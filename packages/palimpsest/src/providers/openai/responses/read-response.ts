import type { ToolCall } from "../../../log/block.ts";
import type { CacheDiagnosis } from "../../../log/cause.ts";
import { TOOL_SEARCH } from "../../../log/tool-definition.ts";
import { asCount, asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import type { ProviderCompaction, ResponseContent } from "../../provider.ts";
import { toUsage } from "../../to-usage.ts";
import type { ResponsesResponse } from "../wire.ts";
import { readOutputItem, toNative } from "./read.ts";

export function readResponse(response: ResponsesResponse): ResponseContent {
  const items = response.output.map((item) => item as unknown as JsonObject);
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
 * Items before a compaction item "may be dropped": the compaction item replaces them. The response's usage includes its
 * cost.
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

/** A search of tools that the service leaves to us. */
function isSearch(item: JsonObject): boolean {
  return item["type"] === "tool_search_call" && item["execution"] === "client";
}

/** Its item is sent back without the service's id, like every call. */
function readSearch({ call_id: id, arguments: input = {} }: JsonObject): ToolCall {
  return { kind: "tool_call", id: asString(id) ?? "", name: TOOL_SEARCH, input };
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

/** The system prompt is part of the input here; every other name is a setting. */
const REASONS: ReadonlyMap<string, CacheDiagnosis["reason"]> = new Map([
  ["model_changed", "model"],
  ["tools_changed", "tools"],
  ["input_changed", "messages"],
  ["context_compacted", "messages"],
]);

function readDiagnosis(diagnostics: JsonObject | undefined): { cacheDiagnosis?: CacheDiagnosis } {
  switch (diagnostics?.["type"]) {
    case undefined:
      return {};
    case "cache_hit":
      return { cacheDiagnosis: { reason: "nowhere" } };
    case "cache_miss": {
      const missedTokens = asCount(diagnostics["cache_missed_tokens"]);
      const reason = REASONS.get(asString(diagnostics["reason"]) ?? "") ?? "parameters";
      return { cacheDiagnosis: { reason, ...(missedTokens === undefined ? {} : { missedTokens }) } };
    }
    default:
      return { cacheDiagnosis: { reason: "unknown" } };
  }
}
