import type { Provider } from "../providers/provider.ts";
import { type Budget, budgetOf } from "../tokens/budget.ts";
import { type Environment, readSwitches } from "../tokens/switches.ts";
import { windowOf } from "../tokens/window.ts";
import type { FlattenRules } from "../view/flatten-segment.ts";
import type { Configuration } from "../view/view.ts";

/** What follows from a configuration for every request that is made with it. */
export interface Terms {
  readonly rules: FlattenRules;
  readonly budget: Budget;
}

export function termsOf(
  provider: Provider<unknown, unknown, unknown>,
  { model, settings }: Configuration,
  environment: Environment,
): Terms {
  const { windowTokens: capabilityTokens, thinking } = provider.factsOf(model);
  const betas = Array.isArray(settings["betas"]) ? settings["betas"].filter((beta) => typeof beta === "string") : [];
  const windowTokens = windowOf({ model, capabilityTokens, betas, environment });
  const { autoCompaction, autoCompactPercent } = readSwitches(environment);
  return {
    rules: { provider: provider.name, thinking },
    budget: budgetOf({ windowTokens, autoCompaction, autoCompactPercent }),
  };
}
