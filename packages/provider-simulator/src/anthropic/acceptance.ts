import { priceUsd } from "../price.ts";
import { NO_USAGE } from "../usage.ts";
import type { Acceptance } from "../verdict.ts";
import type { Prepared } from "./prepare.ts";
import type { AppliedEdit } from "./prompt/edits.ts";
import type { InputTransformation } from "./prompt/thinking.ts";

/** An accepted request with what is particular to this provider. */
export interface AnthropicAcceptance extends Acceptance {
  readonly appliedEdits: readonly AppliedEdit[];
  readonly transformations: readonly InputTransformation[];
}

export function toAcceptance(prepared: Prepared): AnthropicAcceptance {
  const usage = { ...NO_USAGE, ...prepared.plan.usage };
  return {
    kind: "accepted",
    model: prepared.model.id,
    inputTokens: prepared.prompt.prefix.tokens,
    usage,
    cache: prepared.plan.outcome,
    priceUsd: priceUsd(usage, prepared.model.prices),
    appliedEdits: prepared.appliedEdits,
    transformations: prepared.transformations,
  };
}
