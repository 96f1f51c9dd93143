// Types, models, prices, cache rules and errors of Gemini.

import type { Content, GenerateContentConfig, GenerateContentResponse } from "@google/genai";
import type { CacheEffects, ModelPrices, TokenPrices } from "../../log/cause.ts";
import { asList, asObject, asString } from "../../schema/json-fields.ts";
import { parseInput } from "../content.ts";
import type { ModelFacts, ModelTable } from "../models.ts";

/** The name of this wire form in logs. */
export const GEMINI = "gemini";

/** A message of a request. */
export type GeminiMessage = Content;

/** The parameters of a call, streamed or not. */
export interface GeminiRequest {
  readonly model: string;
  readonly contents: Content[];
  readonly config: GenerateContentConfig;
}

/** The fields of a response, without the methods of the client's class. */
export type GeminiResponse = Pick<
  GenerateContentResponse,
  "candidates" | "usageMetadata" | "modelVersion" | "responseId" | "promptFeedback"
>;

/** The published limit of 20 MB for a request with inline files. */
export const GEMINI_REQUEST_BYTES = 20_000_000;

/** Above this many input tokens, some models cost more for all tokens of the request. */
const LARGE_INPUT_TOKENS = 200_000;

const third: Omit<ModelFacts, "prices"> = {
  windowTokens: 1_048_576,
  maxOutputTokens: 65_536,
  minimumCacheTokens: 4_096,
  // Not published: "a short amount of time".
  cacheLifetimeMs: 5 * 60_000,
  // Signatures are checked, but not against the conversation.
  thinking: "free",
  effort: "levels",
};

const second: Omit<ModelFacts, "prices"> = { ...third, minimumCacheTokens: 2_048, effort: "budget" };

/**
 * Limits and cache minimums from ai.google.dev, and prices from public price lists, October 2026. Argon costs half
 * until the end of November 2026, and the Flash models until the end of December; the table has their regular prices.
 * Prices of 2.5 and of long prompts are from the announcements of these models.
 */
export const GEMINI_MODELS: ModelTable = {
  "gemini-4-argon": { ...third, prices: prices(4, 20, 0.2) },
  "gemini-3.8-flash": { ...third, prices: prices(1.5, 7.5, 0.15) },
  "gemini-3.7-flash": { ...third, prices: prices(1.5, 7.5, 0.15) },
  "gemini-3.6-flash": { ...third, prices: prices(1.5, 7.5, 0.15) },
  "gemini-3.1-pro-preview": { ...third, prices: tiered(prices(2, 12, 0.2), prices(4, 18, 0.4)) },
  "gemini-2.5-pro": { ...second, prices: tiered(prices(1.25, 10, 0.125), prices(2.5, 15, 0.25)) },
  "gemini-2.5-flash": { ...second, prices: prices(0.3, 2.5, 0.03) },
};

function tiered(small: TokenPrices, large: TokenPrices): ModelPrices {
  return { ...small, above: { inputTokens: LARGE_INPUT_TOKENS, ...large } };
}

/** A cache write costs no more than other input. */
function prices(input: number, output: number, cacheRead: number): TokenPrices {
  return { input, output, cacheRead, cacheWrite5m: input, cacheWrite1h: input };
}

/** Settings without an effect on cached prompts. */
const NOTHING = [
  ...["temperature", "topP", "topK", "candidateCount", "stopSequences", "presencePenalty", "frequencyPenalty", "seed"],
  ...["responseLogprobs", "logprobs", "safetySettings", "labels", "httpOptions", "serviceTier", "store"],
];

/**
 * Settings that invalidate cached prompts of Gemini. The caching guide mentions only the start of the prompt, so
 * settings that the service may render into the prompt count as part of it.
 */
export const GEMINI_CACHE_EFFECTS: CacheEffects = {
  parameters: {
    ...Object.fromEntries(NOTHING.map((name) => [name, "nothing" as const])),
    thinkingConfig: "thinking",
    toolConfig: "tool-choice",
  },
  images: "nothing",
  headMark: "none",
};

/**
 * Converts an error of this client to the form of the other clients, with status, headers and body, for
 * `toProviderError`. The client puts the body into the message, and the body contains the wait. A call that did not
 * reach the service is an error of `fetch`.
 */
export function toClientError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "ApiError") {
    const text = error.message;
    const body = asObject(parseInput(text.slice(Math.max(0, text.indexOf("{")))));
    const waitMs = readRetryDelayMs(asObject(body?.["error"])?.["details"]);
    const headers = new Headers(waitMs === undefined ? {} : { "retry-after-ms": String(waitMs) });
    const { status } = error as Error & { status?: unknown };
    const message = asString(asObject(body?.["error"])?.["message"]) ?? text;
    const code = status === 429 && waitMs === undefined && SPENT.test(message) ? "insufficient_quota" : undefined;
    return Object.assign(new Error(message, { cause: error }), { status, headers, error: body, code });
  }
  if (error.name !== "TypeError" || !/fetch|network|load failed/i.test(error.message)) return error;
  return Object.assign(new Error(error.message, { cause: error }), { status: undefined, headers: undefined });
}

/** The text of an error for spent money or a spent daily quota. Such an error has no wait: waiting does not help. */
const SPENT = /check your plan and billing/i;

/** Reads the wait of `google.rpc.RetryInfo`, in seconds: "47.4s". */
function readRetryDelayMs(details: unknown): number | undefined {
  for (const detail of asList(details) ?? []) {
    const seconds = /^([\d.]+)s$/.exec(asString(asObject(detail)?.["retryDelay"]) ?? "")?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return undefined;
}
