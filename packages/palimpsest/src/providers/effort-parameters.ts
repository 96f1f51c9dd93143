import type { ModelFacts } from "./models.ts";

/**
 * Returns the fields of a provider's request (`parameters` of a session) that set an effort. Undefined if the model has
 * no effort setting, or if its setting is unknown: a service refuses unknown fields.
 * @param provider the name of the wire form
 */
export function effortParameters(
  provider: string,
  facts: Pick<ModelFacts, "effort" | "maxOutputTokens">,
  effort: Effort,
): Readonly<Record<string, unknown>> | undefined {
  if (facts.effort === undefined || facts.effort === "none") return undefined;
  switch (provider) {
    case "anthropic":
      return claudeFields(facts, effort);
    case "bedrock":
      return { additionalModelRequestFields: claudeFields(facts, effort) };
    case "openai-responses":
      return { reasoning: { effort } };
    case "openai-chat":
      return { reasoning_effort: effort };
    case "gemini":
      return { thinkingConfig: geminiFields(facts, effort) };
    default:
      return undefined;
  }
}

/** How much a model thinks before it answers. */
export type Effort = (typeof EFFORTS)[number];

/** All efforts, lowest first. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

type EffortFacts = Pick<ModelFacts, "effort" | "maxOutputTokens">;

function claudeFields(facts: EffortFacts, effort: Effort): Readonly<Record<string, unknown>> {
  if (facts.effort === "levels") return { thinking: { type: "adaptive" }, output_config: { effort } };
  // `fitThinking` lowers the budget if the output limit of a request is smaller.
  return { thinking: { type: "enabled", budget_tokens: budgetOf(facts, effort) } };
}

function geminiFields(facts: EffortFacts, effort: Effort): Readonly<Record<string, unknown>> {
  if (facts.effort === "levels") return { thinkingLevel: GEMINI_LEVELS[effort] };
  return { thinkingBudget: Math.min(GEMINI_MAX_BUDGET_TOKENS, budgetOf(facts, effort)) };
}

/** Gemini has no level above `high`. */
const GEMINI_LEVELS: Readonly<Record<Effort, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** The largest budget that every Gemini model with a budget accepts (the limit of 2.5 Flash). */
const GEMINI_MAX_BUDGET_TOKENS = 24_576;

function budgetOf({ maxOutputTokens }: EffortFacts, effort: Effort): number {
  return Math.max(MIN_BUDGET_TOKENS, Math.floor(maxOutputTokens * BUDGET_SHARES[effort]));
}

/** The share of the output limit that may be thinking, for models with a thinking budget. */
const BUDGET_SHARES: Readonly<Record<Effort, number>> = {
  low: 1 / 16,
  medium: 1 / 8,
  high: 1 / 4,
  xhigh: 1 / 2,
  max: 1,
};

/** The smallest budget that every model accepts. */
const MIN_BUDGET_TOKENS = 1_024;
