// Types, models, prices and cache rules of both APIs of OpenAI.

import type OpenAI from "openai";
import type { CacheEffects, ModelPrices, TokenPrices } from "../../log/cause.ts";
import type { ModelFacts, ModelTable } from "../models.ts";

/** The name of the Responses API in logs. */
export const OPENAI_RESPONSES = "openai-responses";

/** The name of Chat Completions in logs. */
export const OPENAI_CHAT = "openai-chat";

/** An item of the conversation: a message, a call, its output, reasoning, ... */
export type ResponsesItem = OpenAI.Responses.ResponseInputItem;

/** The body of a call to the Responses API. It has no `stream`: the same request can be streamed or not. */
export type ResponsesRequest = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream">;

/** A whole response of the Responses API. */
export type ResponsesResponse = OpenAI.Responses.Response;

/** A message of a request to Chat Completions. */
export type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** The body of a call to Chat Completions. */
export type ChatRequest = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "stream">;

/** A whole response of Chat Completions. */
export type ChatResponse = OpenAI.Chat.ChatCompletion;

/** The published limit of 50 MB for images and files in a request. */
export const OPENAI_REQUEST_BYTES = 50_000_000;

/**
 * Above this many input tokens, all tokens of a request cost more: twice the input price, and 1.5 times the output
 * price.
 */
const LARGE_INPUT_TOKENS = 272_000;

/** The cache lifetime before GPT-5.6: "5 to 10 minutes" without use. Only the shorter time is guaranteed. */
const IN_MEMORY_MS = 5 * 60_000;

const sixth: Omit<ModelFacts, "prices"> = {
  windowTokens: 1_050_000,
  // The window minus the output, as published for GPT-5 (400,000 = 272,000 + 128,000); not published for GPT-6.
  maxInputTokens: 922_000,
  maxOutputTokens: 128_000,
  minimumCacheTokens: 1_024,
  cacheLifetimeMs: 30 * 60_000,
  // The service accepts encrypted reasoning after any conversation.
  thinking: "free",
  effort: "levels",
};

/** Limits and prices from public price lists, September 2026. Those of GPT-5.2 and 4.1 are from their announcements. */
export const OPENAI_MODELS: ModelTable = {
  "gpt-6-astra": { ...sixth, prices: tiered(10, 50, 0.1) },
  "gpt-6.1-sol": { ...sixth, prices: tiered(2, 10, 0.05) },
  "gpt-6-sol": { ...sixth, prices: tiered(2, 10, 0.1) },
  "gpt-6-luna": { ...sixth, prices: tiered(0.1, 0.5, 0.1) },
  "gpt-5.6-sol": { ...sixth, prices: tiered(4, 20, 0.1) },
  "gpt-5.2": {
    ...sixth,
    windowTokens: 400_000,
    maxInputTokens: 272_000,
    cacheLifetimeMs: IN_MEMORY_MS,
    prices: prices({ input: 1.75, output: 14, cacheReadMultiple: 0.1, cacheWriteMultiple: 1 }),
  },
  "gpt-4.1": {
    ...sixth,
    windowTokens: 1_047_576,
    maxInputTokens: 1_047_576,
    maxOutputTokens: 32_768,
    cacheLifetimeMs: IN_MEMORY_MS,
    effort: "none",
    prices: prices({ input: 2, output: 8, cacheReadMultiple: 0.25, cacheWriteMultiple: 1 }),
  },
};

/** Prices for models since GPT-5.6, where a cache write costs 1.25 times the input price, for every lifetime. */
function tiered(input: number, output: number, cacheReadMultiple: number): ModelPrices {
  const multiples = { cacheReadMultiple, cacheWriteMultiple: 1.25 };
  const large = prices({ ...multiples, input: input * 2, output: output * 1.5 });
  return { ...prices({ ...multiples, input, output }), above: { inputTokens: LARGE_INPUT_TOKENS, ...large } };
}

function prices({ input, output, cacheReadMultiple, cacheWriteMultiple }: PriceMultiples): TokenPrices {
  const cacheWrite = input * cacheWriteMultiple;
  return { input, output, cacheRead: input * cacheReadMultiple, cacheWrite5m: cacheWrite, cacheWrite1h: cacheWrite };
}

interface PriceMultiples {
  readonly input: number;
  readonly output: number;
  readonly cacheReadMultiple: number;
  readonly cacheWriteMultiple: number;
}

/** Settings without an effect on cached prompts. */
const NOTHING = [
  ...["frequency_penalty", "include", "max_tool_calls", "metadata", "parallel_tool_calls", "presence_penalty", "seed"],
  ...[
    "safety_identifier",
    "stop",
    "store",
    "stream_options",
    "temperature",
    "tool_choice",
    "top_p",
    "truncation",
    "user",
  ],
];

/**
 * Settings that invalidate cached prompts of OpenAI, in addition to tools, system prompt and messages. According to
 * OpenAI's cache diagnostics: effort, text format and length, cache key and service tier.
 */
export const OPENAI_CACHE_EFFECTS: CacheEffects = {
  parameters: {
    ...Object.fromEntries(NOTHING.map((name) => [name, "nothing" as const])),
    reasoning: "effort",
    reasoning_effort: "effort",
  },
  images: "nothing",
  headMark: "none",
};
