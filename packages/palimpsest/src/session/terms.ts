import type { ModelFacts } from "../providers/models.ts";
import type { Settings } from "../settings/settings.ts";
import { type Budget, budgetOf } from "../tokens/budget.ts";
import { windowOf } from "../tokens/window.ts";
import type { FlattenRules } from "../view/flatten-segment.ts";
import type { Configuration } from "../view/view.ts";

/** What follows from a configuration for every request that is made with it. */
export interface Terms {
  readonly rules: FlattenRules;
  readonly budget: Budget;
  readonly maxOutputTokens: number;
  readonly facts: ModelFacts;
}

export interface TermSources {
  readonly settings: Settings;
  /** The smallest limit that the provider has named in a refusal, if it has. */
  readonly limitTokens: number | undefined;
}

export function termsOf(
  { provider, model, parameters }: Configuration,
  facts: ModelFacts,
  { settings, limitTokens = Number.POSITIVE_INFINITY }: TermSources,
): Terms {
  const { windowTokens: window, maxInputTokens, maxOutputTokens, thinking } = facts;
  // Where less input is taken than the window holds, that is what can be filled.
  const capabilityTokens = maxInputTokens ?? window;
  const betas = Array.isArray(parameters["betas"])
    ? parameters["betas"].filter((beta) => typeof beta === "string")
    : [];
  const known = windowOf({ model, capabilityTokens, betas, fallbackTokens: settings["window.tokens"] });
  const windowTokens = Math.min(known, limitTokens);
  const isOn = settings["compaction.enabled"] === "on" && settings["compaction.auto"] !== "off";
  return {
    rules: { provider, thinking },
    maxOutputTokens,
    facts,
    budget: budgetOf({
      windowTokens,
      autoCompaction: isOn ? "on" : "off",
      autoCompactPercent: settings["compaction.autoPercent"],
    }),
  };
}
