import { asArray, isObject, type JsonObject } from "../../json.ts";
import type { CachingOptions } from "../../plan-cache.ts";
import { inputTokensOf, type Usage } from "../../usage.ts";
import type { OpenAiModel } from "../models.ts";
import type { CacheDiagnostics } from "./cache-diagnostics.ts";
import type { OutputItem } from "./output.ts";

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: {
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
    readonly cache_write_tokens_details?: { readonly ttl_30m_tokens: number; readonly ttl_12h_tokens: number };
  };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

/** The fields of a response that a caller can act on; the rest echoes the request. */
export interface ResponseObject {
  readonly id: string;
  readonly object: "response";
  readonly created_at: number;
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly incomplete_details: { readonly reason: "max_output_tokens" | "content_filter" } | null;
  readonly model: string;
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
  readonly prompt_cache_diagnostics?: CacheDiagnostics;
  readonly [echoed: string]: unknown;
}

/** OpenAI's input total includes what came from the cache (Anthropic's does not). */
export function toResponseUsage(usage: Usage): ResponseUsage {
  const input = inputTokensOf(usage);
  const written = usage.cacheWriteTokens + usage.longCacheWriteTokens;
  const details = { ttl_30m_tokens: usage.cacheWriteTokens, ttl_12h_tokens: usage.longCacheWriteTokens };
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: written,
      ...(written > 0 ? { cache_write_tokens_details: details } : {}),
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.thinkingTokens },
    total_tokens: input + usage.outputTokens,
  };
}

export interface ResponseDraft {
  readonly id: string;
  readonly createdAtMs: number;
  readonly request: JsonObject;
  readonly model: OpenAiModel;
  readonly caching: CachingOptions;
}

/** A response that has not begun: what `response.created` and `response.in_progress` carry. */
export function draftResponse({ id, createdAtMs, request, model, caching }: ResponseDraft): ResponseObject {
  const reasoning = isObject(request["reasoning"]) ? request["reasoning"] : {};
  const text = isObject(request["text"]) ? request["text"] : {};
  const options = isObject(request["prompt_cache_options"]) ? request["prompt_cache_options"] : {};
  const comparison = options["comparison_response_id"];
  return {
    id,
    object: "response",
    created_at: Math.floor(createdAtMs / 1000),
    status: "in_progress",
    access_programs: null,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request["instructions"] ?? null,
    max_output_tokens: request["max_output_tokens"] ?? null,
    max_tool_calls: request["max_tool_calls"] ?? null,
    model: String(request["model"] ?? model.id),
    output: [],
    parallel_tool_calls: request["parallel_tool_calls"] ?? true,
    previous_response_id: request["previous_response_id"] ?? null,
    prompt_cache_key: request["prompt_cache_key"] ?? null,
    ...(model.cache.kind === "breakpoints"
      ? {
          prompt_cache_options: {
            mode: caching.mode ?? "implicit",
            ttl: caching.ttl ?? "30m",
            comparison_response_id: comparison,
          },
        }
      : { prompt_cache_retention: caching.retention ?? "in_memory" }),
    reasoning: { effort: reasoning["effort"] ?? null, summary: reasoning["summary"] ?? null },
    safety_identifier: request["safety_identifier"] ?? null,
    service_tier: "default",
    store: request["store"] ?? true,
    temperature: request["temperature"] ?? 1,
    text: { format: text["format"] ?? { type: "text" }, verbosity: text["verbosity"] ?? "medium" },
    tool_choice: request["tool_choice"] ?? "auto",
    tools: asArray(request["tools"]),
    top_logprobs: 0,
    top_p: request["top_p"] ?? 1,
    truncation: request["truncation"] ?? "disabled",
    usage: null,
    user: request["user"] ?? null,
    metadata: request["metadata"] ?? {},
  };
}
