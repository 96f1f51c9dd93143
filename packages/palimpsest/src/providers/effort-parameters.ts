import type { ModelFacts } from "./models.ts";

/**
 * Returns the fields of a provider's request (`parameters` of a session) that ask for an effort. Undefined if the model
 * takes none, or if it is not known how it takes one: a service refuses fields that it does not know.
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

/** All efforts, the least first. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

type EffortFacts = Pick<ModelFacts, "effort" | "maxOutputTokens">;

function claudeFields(
  { effort: taken, maxOutputTokens }: EffortFacts,
  effort: Effort,
): Readonly<Record<string, unknown>> {
  if (taken === "levels") return { thinking: { type: "adaptive" }, output_config: { effort } };
  // The request's own limit lowers a budget that is larger (fitThinking).
  return { thinking: { type: "enabled", budget_tokens: budgetOf(maxOutputTokens, effort) } };
}

function geminiFields(
  { effort: taken, maxOutputTokens }: EffortFacts,
  effort: Effort,
): Readonly<Record<string, unknown>> {
  if (taken === "levels") return { thinkingLevel: GEMINI_LEVELS[effort] };
  return { thinkingBudget: Math.min(GEMINI_MAX_BUDGET_TOKENS, budgetOf(maxOutputTokens, effort)) };
}

/** Gemini has no level above `high`, and no budget above this. */
const GEMINI_LEVELS: Readonly<Record<Effort, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** The largest budget that every model with a budget takes (2.5 Flash). */
const GEMINI_MAX_BUDGET_TOKENS = 24_576;

function budgetOf(maxOutputTokens: number, effort: Effort): number {
  return Math.max(LEAST_BUDGET_TOKENS, Math.floor(maxOutputTokens * BUDGET_SHARES[effort]));
}

/** The share of the longest answer that may be thinking, for models that take a budget. */
const BUDGET_SHARES: Readonly<Record<Effort, number>> = {
  low: 1 / 16,
  medium: 1 / 8,
  high: 1 / 4,
  xhigh: 1 / 2,
  max: 1,
};

/** No model takes less. */
const LEAST_BUDGET_TOKENS = 1_024;
