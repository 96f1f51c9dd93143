import type { CacheRules } from "../plan-cache.ts";
import type { Prices } from "../price.ts";

/** The rules and limits of one model. */
export interface GeminiModel {
  readonly id: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  /** `shared`: input and output fill one window of `maxInputTokens`. `separate`: the output has its own limit. */
  readonly window: "shared" | "separate";
  readonly prices: Prices;
  readonly cache: CacheRules;
  /** `required`: function calls of the current turn come back with their signature. `none`: nothing is signed. */
  readonly signatures: "required" | "none";
  /** Whether function calls have an id. */
  readonly callIds: "given" | "absent";
  /** How thinking is set: by a budget in tokens, or only by a level. */
  readonly thinkingBudget: "accepted" | "refused";
}

const MINUTE_MS = 60_000;

/**
 * Implicit caching. The minimum is from the caching guide (October 2026: 4,096 tokens, 2,048 for Gemini 2.5). The guide gives
 * neither a lifetime nor a step, and promises no hit; five minutes, whole blocks and a hit every time are assumed.
 */
function implicitCache(minTokens: number): CacheRules {
  return {
    kind: "automatic",
    minTokens,
    stepTokens: 1,
    lifetimeMs: 5 * MINUTE_MS,
    longLifetimeMs: 5 * MINUTE_MS,
  };
}

function prices(input: number, output: number, cacheRead: number, above?: { input: number; output: number }): Prices {
  const flat = {
    input,
    output,
    cacheReadMultiple: cacheRead / input,
    // Writing costs what reading the input costs.
    cacheWriteMultiple: 1,
    longCacheWriteMultiple: 1,
  };
  return above === undefined ? flat : { ...flat, above: { inputTokens: 200_000, ...above } };
}

const third = {
  maxInputTokens: 1_048_576,
  maxOutputTokens: 65_536,
  window: "separate",
  cache: implicitCache(4_096),
  signatures: "required",
  callIds: "given",
  thinkingBudget: "accepted",
} as const;

const second = { ...third, cache: implicitCache(2_048), signatures: "none", callIds: "absent" } as const;

/**
 * Limits: ai.google.dev/gemini-api/docs (latest-model, models), October 2026. Prices: the pricing page as public price lists repeat it
 * (litellm discussions 46238 and 39357). Argon and the Flash models cost half until the end of November and of December 2026; the table has the
 * lasting prices. Those of 3.1 Pro above 200,000 tokens and of Gemini 2.5 are from memory.
 */
const MODELS: readonly GeminiModel[] = [
  {
    id: "gemini-4-argon",
    ...third,
    // Longer outputs come in several responses, joined by a token (long decode), which is not simulated.
    window: "shared",
    thinkingBudget: "refused",
    prices: prices(4, 20, 0.2),
  },
  { id: "gemini-3.8-flash", ...third, prices: prices(1.5, 7.5, 0.15) },
  { id: "gemini-3.6-flash", ...third, prices: prices(1.5, 7.5, 0.15) },
  { id: "gemini-3.1-pro-preview", ...third, prices: prices(2, 12, 0.2, { input: 4, output: 18 }) },
  { id: "gemini-2.5-pro", ...second, prices: prices(1.25, 10, 0.125, { input: 2.5, output: 15 }) },
  { id: "gemini-2.5-flash", ...second, prices: prices(0.3, 2.5, 0.03) },
];

/** The models of Gemini, with their limits and prices. */
export const geminiModels: Readonly<Record<string, GeminiModel>> = Object.fromEntries(
  MODELS.map((model) => [model.id, model]),
);
