import { asCount, asObject } from "../../schema/json-fields.ts";

const MINIMUM_THINKING_TOKENS = 1_024;

export interface ThinkingRoom {
  readonly maxTokens: number;
  /** Whether the turn that is still open began with thinking. `none`: no turn is open. */
  readonly openTurn: "thinks" | "lacks-thinking" | "none";
}

/**
 * Fits thinking to the request. A thinking budget must be at least 1,024 and smaller than the output limit; a larger
 * one is lowered. Thinking is turned off if the limit leaves no room for it, or if the open turn did not begin with
 * thinking (its setting has changed since, or the thinking was lost): the API would refuse the request.
 */
export function fitThinking(thinking: unknown, { maxTokens, openTurn }: ThinkingRoom): { thinking?: unknown } {
  const setting = asObject(thinking);
  if (setting === undefined) return {};
  const budget = asCount(setting["budget_tokens"]);
  if (setting["type"] !== "enabled" || budget === undefined) return { thinking };
  if (maxTokens <= MINIMUM_THINKING_TOKENS || openTurn === "lacks-thinking") return {};
  return { thinking: budget < maxTokens ? setting : { ...setting, budget_tokens: maxTokens - 1 } };
}
