import { type CacheRules, type CachingOptions, planCache } from "./plan-cache.ts";
import { type Prices, priceUsd } from "./price.ts";
import type { RenderedPrompt } from "./prompt.ts";
import type { PromptCache } from "./prompt-cache.ts";
import type { Acceptance } from "./verdict.ts";

export interface Offer {
  readonly model: { readonly id: string; readonly prices: Prices; readonly cache: CacheRules };
  readonly prompt: RenderedPrompt;
  readonly caching: CachingOptions;
  readonly cache: PromptCache;
}

export interface Accepted {
  readonly acceptance: Acceptance;
  /** Makes the prompt readable from the cache. */
  commit(): void;
}

/** Looks a valid prompt up in the cache and prices its input. Every face without marks of its own goes through here. */
export function accept({ model, prompt, caching, cache }: Offer): Accepted {
  const { usage, outcome, commit } = planCache({ prompt, rules: model.cache, options: caching, cache });
  return {
    acceptance: {
      kind: "accepted",
      model: model.id,
      inputTokens: prompt.prefix.tokens,
      usage,
      cache: outcome,
      priceUsd: priceUsd(usage, model.prices),
    },
    commit,
  };
}
