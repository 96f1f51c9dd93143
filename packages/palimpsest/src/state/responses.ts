// Recorded responses, and the usage of calls that were not made from the view.

import { priceUsd } from "../cost/ledger.ts";
import type { ToolCall } from "../log/block.ts";
import type { ModelPrices } from "../log/cause.ts";
import { type Draft, toDraft } from "../log/entry.ts";
import type { UsagePayload } from "../log/payload.ts";
import type { UsageTokens } from "../log/usage.ts";
import type { Overflow } from "../providers/overflow.ts";
import type { ResponseContent } from "../providers/provider.ts";
import type { Emit } from "../session-event.ts";
import type { Truncation } from "../view/truncation.ts";
import type { ModelFactsReader } from "./limits.ts";
import type { SessionState } from "./state.ts";

/** The content of a response, in a form for every provider. */
export interface RecordedResponse extends Omit<ResponseContent, "blocks"> {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Calls that a fork may not make. They already have a refusal as their result. */
  readonly refusedCalls?: readonly ToolCall[];
  /** Set if the server silently accepted more than fits, so that it answered only a part of the request. */
  readonly overflow?: Overflow;
  /** Set if the server silently read less than was sent. The next request fits the size that the server has read. */
  readonly truncation?: Truncation;
}

export interface RecordOptions {
  /**
   * `in-steps`: the code that runs the calls logs their beginnings, as `stepTurn` does. After a crash, the session then
   * knows which of them may have run. @default unknown: after a crash, any of them may have run
   */
  readonly calls?: "in-steps";
}

/** Rounds token counts, because some servers report fractions. */
export function wholeTokens<Usage extends object>(usage: Usage): Usage {
  const whole = Object.entries(usage).map(([name, value]) => [
    name,
    typeof value === "number" ? Math.round(value) : value,
  ]);
  return Object.fromEntries(whole) as Usage;
}

/** The usage of a call that was not made from the session's view, with its source. */
export interface UsageOfOthers extends UsageTokens, Pick<UsagePayload, "model" | "ending" | "estimated"> {
  readonly source: string;
}

interface UsageParts {
  readonly state: Pick<SessionState, "inOrder" | "append">;
  readonly ports: { readonly facts: Pick<ModelFactsReader, "of"> };
}

/** The usage of a fork, as its parent records it. */
export interface UsageOfFork extends UsageOfOthers {
  readonly fork: UsagePayload["fork"];
}

/** Records the usage of a call in the ledger, at the current prices. */
export async function enterUsage({ state, ports }: UsageParts, used: UsageOfOthers | UsageOfFork): Promise<void> {
  await state.inOrder(() => state.append([usageDraft(used, ports.facts)]));
}

/** Returns the ledger entry of a call, at the current prices. */
export function usageDraft(used: UsageOfOthers | UsageOfFork, facts: Pick<ModelFactsReader, "of">): Draft {
  return toDraft("usage", { ...used, prices: facts.of(used.model).prices });
}

interface SideCall {
  readonly source: string;
  readonly provider: string;
  /** The model in the request. */
  readonly requestModel: string;
  readonly requestedAtMs: number;
  readonly prices: ModelPrices | undefined;
}

/**
 * Emits `response-recorded` for a request that was not made from the view, because listeners that add up costs need
 * every response.
 */
export function emitSideResponse(
  emit: Emit,
  { prices, ...call }: SideCall,
  {
    responseId,
    model,
    stop,
    usage,
    text = "",
  }: Pick<ResponseContent, "responseId" | "model" | "stop" | "usage"> & {
    readonly text?: string;
  },
): void {
  const used = wholeTokens(usage);
  const price = prices && priceUsd(used, prices);
  emit({ kind: "response-recorded", ...call, model, responseId, stop, text, ...used, priceUsd: price });
}
