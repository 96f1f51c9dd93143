import { ANTHROPIC_MODELS, type AnthropicModel } from "@palimpsest/provider-simulator";
import type { ModelPrices } from "palimpsest/inspect";

/** The model of a replay: the engine's decisions and the service's limits depend on it. */
export interface ReplayModel {
  /** One that the simulator knows. */
  readonly id: string;
  readonly windowTokens: number;
  readonly prices: ModelPrices;
}

/** The models whose prices and windows can be used. */
export function replayModels(): readonly string[] {
  return ANTHROPIC_MODELS.map(({ id }) => id);
}

/**
 * Returns a model by its id, optionally with another window or other read prices; undefined if the simulator does not know it.
 */
export function findReplayModel(id: string): ReplayModel | undefined {
  const known = ANTHROPIC_MODELS.find((model) => model.id === id);
  if (known === undefined) return undefined;
  const { input, output, above } = known.prices;
  const priced = (per: { readonly input: number; readonly output: number }) => ({
    input: per.input,
    output: per.output,
    cacheRead: per.input * known.prices.cacheReadMultiple,
    cacheWrite5m: per.input * known.prices.cacheWriteMultiple,
    cacheWrite1h: per.input * known.prices.longCacheWriteMultiple,
  });
  return {
    id,
    windowTokens: known.windowTokens,
    prices: {
      ...priced({ input, output }),
      above: above === undefined ? undefined : { inputTokens: above.inputTokens, ...priced(above) },
    },
  };
}

/** Whether the model accepts thinking of its own measure, which is what agents ask for. */
export function thinksWhenAsked(id: string): boolean {
  return ANTHROPIC_MODELS.some((model) => model.id === id && model.thinkingTypes.includes("adaptive"));
}

/** The model for the simulator. Its prices are ignored there: a run is priced afterwards. */
export function simulatorModel({ id, windowTokens }: ReplayModel): AnthropicModel {
  return { ...ANTHROPIC_MODELS.find((model) => model.id === id)!, windowTokens };
}
