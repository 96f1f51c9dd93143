import type { CacheRules } from "../plan-cache.ts";
import type { Prices } from "../price.ts";

/** The rules and limits of one model. */
export interface OpenAiModel {
  readonly id: string;
  readonly windowTokens: number;
  /** A larger prompt is refused, even if the window has room. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly prices: Prices;
  readonly cache: CacheRules;
  readonly reasoning: "always" | "none";
  /** `temperature`, `top_p` and their like. */
  readonly sampling: "accepted" | "refused";
  /** The tool `tool_search`. @default "accepted" */
  readonly toolSearch?: "accepted" | "refused";
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Prompt caching guide: from 1,024 tokens on, in steps of 128 (both repeated by docs.apiyi.com from the guide of June
 * 2026). In memory an entry lives "5 to 10 minutes" of idleness; we promise the shorter. Clients say that most
 * organizations default to 24 hours, but as a maximum, so that it must be asked for here.
 */
export const AUTOMATIC_CACHE: Extract<CacheRules, { kind: "automatic" }> = {
  kind: "automatic",
  minTokens: 1_024,
  stepTokens: 128,
  lifetimeMs: 5 * MINUTE_MS,
  longLifetimeMs: 24 * HOUR_MS,
};

/** GPT-5.6 and later; every figure from the types of the 7.53 client. That a read starts the lifetime again is assumed. */
export const BREAKPOINT_CACHE: Extract<CacheRules, { kind: "breakpoints" }> = {
  kind: "breakpoints",
  minTokens: 1_024,
  lifetimeMs: 30 * MINUTE_MS,
  longLifetimeMs: 12 * HOUR_MS,
  maxWrites: 4,
  maxConsidered: 80,
};

/** Above this many input tokens the whole request costs twice the input and one and a half times the output price. */
const LARGE_PROMPT_TOKENS = 272_000;

function prices(input: number, output: number, cacheReadMultiple: number): Prices {
  return {
    input,
    output,
    cacheReadMultiple,
    cacheWriteMultiple: 1.25,
    // The guide gives one write price and no second one for twelve hours.
    longCacheWriteMultiple: 1.25,
    above: { inputTokens: LARGE_PROMPT_TOKENS, input: input * 2, output: output * 1.5 },
  };
}

const sixth = {
  windowTokens: 1_050_000,
  // As on GPT-5, where 400K of window are 272K in and 128K out; not seen in writing for GPT-6.
  maxInputTokens: 922_000,
  maxOutputTokens: 128_000,
  cache: BREAKPOINT_CACHE,
  reasoning: "always",
  sampling: "refused",
} as const;

/** Figures of GPT-6 and 5.6: price lists of September 2026 in public repositories. GPT-5.2 and 4.1: from memory. */
const MODELS: readonly OpenAiModel[] = [
  { id: "gpt-6-astra", ...sixth, prices: prices(10, 50, 0.1) },
  { id: "gpt-6.1-sol", ...sixth, prices: prices(2, 10, 0.05) },
  { id: "gpt-6-sol", ...sixth, prices: prices(2, 10, 0.1) },
  { id: "gpt-6-luna", ...sixth, prices: prices(0.1, 0.5, 0.1) },
  { id: "gpt-5.6-sol", ...sixth, prices: prices(4, 20, 0.1) },
  {
    id: "gpt-5.2",
    windowTokens: 400_000,
    maxInputTokens: 272_000,
    maxOutputTokens: 128_000,
    prices: { input: 1.75, output: 14, cacheReadMultiple: 0.1, cacheWriteMultiple: 1, longCacheWriteMultiple: 1 },
    cache: AUTOMATIC_CACHE,
    reasoning: "always",
    sampling: "refused",
    toolSearch: "refused",
  },
  {
    id: "gpt-4.1",
    windowTokens: 1_047_576,
    maxInputTokens: 1_047_576,
    maxOutputTokens: 32_768,
    prices: { input: 2, output: 8, cacheReadMultiple: 0.25, cacheWriteMultiple: 1, longCacheWriteMultiple: 1 },
    cache: AUTOMATIC_CACHE,
    reasoning: "none",
    sampling: "accepted",
    toolSearch: "refused",
  },
];

/** The models of OpenAI, with their limits and prices. */
export const openAiModels: Readonly<Record<string, OpenAiModel>> = Object.fromEntries(
  MODELS.map((model) => [model.id, model]),
);

/** Finds a model by its id, or by a dated snapshot of it (`gpt-4.1-2025-04-14`). */
export function findModel(id: string, models: Readonly<Record<string, OpenAiModel>>): OpenAiModel | undefined {
  const alias = id.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  if (Object.hasOwn(models, id)) return models[id];
  return Object.hasOwn(models, alias) ? models[alias] : undefined;
}
