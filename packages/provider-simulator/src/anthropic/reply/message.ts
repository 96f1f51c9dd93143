import { inputTokensOf, type Usage } from "../../usage.ts";
import type { CacheMissReason } from "../prompt/diagnostics.ts";
import type { AppliedEdit } from "../prompt/edits.ts";
import type { InputTransformation } from "../prompt/thinking.ts";
import type { Block } from "../request.ts";
import type { StopReason } from "./write-message.ts";

/** The response body, field for field as the provider sends it. */
export interface AnthropicMessage {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: StopReason;
  readonly stop_sequence: string | null;
  readonly stop_details: {
    readonly type: "refusal";
    readonly category: string | null;
    readonly explanation: string | null;
  } | null;
  readonly container: null;
  readonly diagnostics: { readonly cache_miss_reason: CacheMissReason } | null;
  readonly usage: AnthropicUsage;
  readonly context_management?: { readonly applied_edits: readonly AppliedEdit[] } | null;
  readonly input_transformations?: readonly InputTransformation[];
}

export interface AnthropicUsage extends InputUsage {
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly thinking_tokens: number };
  readonly server_tool_use: { readonly web_search_requests: number; readonly web_fetch_requests: number };
  readonly service_tier: "standard";
  readonly inference_geo: "not_available";
  readonly speed: "standard" | "fast";
  readonly iterations: readonly Iteration[];
  /** Extension: what the cached prompt was read without. */
  readonly cache_deleted_input_tokens?: number;
}

/** The input side, as it stands in every usage object. In the provider's terms `input_tokens` is what no cache holds. */
interface InputUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

/** One pass of the model inside a call. */
export interface Iteration extends InputUsage {
  readonly type: "message" | "compaction";
  readonly model?: string;
  readonly output_tokens: number;
}

/** Top-level usage leaves out what a compaction consumed: only the iterations show it. */
export function toAnthropicUsage(
  usage: Usage,
  speed: "standard" | "fast",
  iterations: readonly Iteration[],
): AnthropicUsage {
  return {
    ...inputFields(usage),
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.thinkingTokens },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: "standard",
    inference_geo: "not_available",
    speed,
    // With or without betas: the provider's guide shows them in the answer to a plain request.
    iterations,
  };
}

export function toIteration(type: "message" | "compaction", usage: Usage, model: string): Iteration {
  return { type, ...(type === "message" ? { model } : {}), ...inputFields(usage), output_tokens: usage.outputTokens };
}

function inputFields(usage: Usage): InputUsage {
  return {
    input_tokens: usage.freshTokens,
    cache_creation_input_tokens: inputTokensOf(usage) - usage.freshTokens - usage.cacheReadTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens,
      ephemeral_1h_input_tokens: usage.longCacheWriteTokens,
    },
  };
}
