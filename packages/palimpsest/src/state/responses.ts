import type { Draft } from "../log/entry.ts";
import type { UsagePayload } from "../log/payload.ts";
import { toDraft } from "../log/to-draft.ts";
import type { UsageTokens } from "../log/usage-tokens.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { SessionState } from "./state.ts";

/** What a call has used that was not made from the session's own view, and who made it. */
export interface UsageOfOthers extends UsageTokens, Pick<UsagePayload, "model" | "ending" | "estimated"> {
  readonly source: string;
}

export type EnterUsage = (used: UsageOfOthers) => Promise<void>;

/** Enters it in the ledger, at the prices of now. */
export function createEnterUsage(
  state: Pick<SessionState, "inOrder" | "append">,
  factsOf: (model: string) => ModelFacts,
): EnterUsage {
  return async (used) => {
    await state.inOrder(() => state.append([usageDraft(used, factsOf)]));
  };
}

/** The entry of the ledger, at the prices of now. */
export function usageDraft(used: UsageOfOthers, factsOf: (model: string) => ModelFacts): Draft {
  const { prices } = factsOf(used.model);
  return toDraft("usage", { ...used, ...(prices === undefined ? {} : { prices }) });
}
