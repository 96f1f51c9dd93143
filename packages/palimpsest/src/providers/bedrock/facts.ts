import type { ModelPrices, TokenPrices } from "../../log/prices.ts";
import { ANTHROPIC_MODELS } from "../anthropic/facts.ts";
import { type FactSources, findFacts, type ModelFacts, type ModelTable } from "../models.ts";

/** The limit that was seen for this service's other operations. */
const REQUEST_BYTES = 25_000_000;

/** A request that stays within a geography or a region costs a tenth more than one that may run anywhere. */
const GEOGRAPHIC_PREMIUM = 1.1;

/** Claude at the prices of the global profile. Limits as those of the model's own host, but for one minimum. */
const GLOBAL_MODELS: ModelTable = {
  ...ANTHROPIC_MODELS,
  "claude-fable-5": { ...ANTHROPIC_MODELS["claude-fable-5"]!, minimumCacheTokens: 1_024 },
};

const GEOGRAPHIC_MODELS: ModelTable = Object.fromEntries(
  Object.entries(GLOBAL_MODELS).map(([id, { prices, ...facts }]): [string, ModelFacts] => [
    id,
    { ...facts, ...(prices === undefined ? {} : { prices: geographic(prices) }) },
  ]),
);

function geographic({ above, ...prices }: ModelPrices): ModelPrices {
  return { ...dearer(prices), ...(above === undefined ? {} : { above: { ...above, ...dearer(above) } }) };
}

function dearer({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenPrices): TokenPrices {
  return {
    input: input * GEOGRAPHIC_PREMIUM,
    output: output * GEOGRAPHIC_PREMIUM,
    cacheRead: cacheRead * GEOGRAPHIC_PREMIUM,
    cacheWrite5m: cacheWrite5m * GEOGRAPHIC_PREMIUM,
    cacheWrite1h: cacheWrite1h * GEOGRAPHIC_PREMIUM,
  };
}

/** Facts of a model by its id, with the prefix of its profile or as an ARN. Only `global.` has the lower price. */
export function findBedrockFacts(model: string, sources: Omit<FactSources, "table" | "all"> = {}): ModelFacts {
  const table = /(?:^|\/)global\./.test(model) ? GLOBAL_MODELS : GEOGRAPHIC_MODELS;
  return findFacts(model, { ...sources, table, all: { maxRequestBytes: REQUEST_BYTES } });
}

/** The id without its profile: tokens are counted by the model itself, not by a profile. */
export function withoutProfile(model: string): string {
  return model.replace(/^.*\//, "").replace(/^(?:us|us-gov|eu|apac|jp|au|ca|global)\./, "");
}
