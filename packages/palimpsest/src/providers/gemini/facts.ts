import type { ModelPrices, TokenPrices } from "../../log/prices.ts";
import type { ModelFacts, ModelTable } from "../models.ts";

/** The published limit of 20 MB for a request with its files inside. */
export const GEMINI_REQUEST_BYTES = 20_000_000;

/** Some models cost more above this many input tokens, for all of their tokens. */
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
 * Limits and cache minimums from ai.google.dev, October 2026; prices from public price lists of that month. Argon and the Flash models
 * cost half until the end of November and of December 2026: the table has the lasting prices. Those of 2.5 and of long prompts as
 * published with them.
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

/** What is cached costs nothing extra: it is paid as input. */
function prices(input: number, output: number, cacheRead: number): TokenPrices {
  return { input, output, cacheRead, cacheWrite5m: input, cacheWrite1h: input };
}
