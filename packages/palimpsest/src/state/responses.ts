import { priceUsd } from "../cost/prices.ts";
import type { ToolCall } from "../log/block.ts";
import type { ModelPrices } from "../log/cause.ts";
import { toDraft } from "../log/draft.ts";
import type { Draft } from "../log/entry.ts";
import type { UsagePayload } from "../log/payload.ts";
import type { UsageTokens } from "../log/usage.ts";
import type { Overflow } from "../providers/overflow.ts";
import type { ResponseContent } from "../providers/provider.ts";
import type { Emit } from "../session-event.ts";
import type { Truncation } from "../view/truncation.ts";
import type { KnownFacts } from "./limits.ts";
import type { SessionState } from "./state.ts";

/** What a response says, in words that fit every provider. */
export interface RecordedResponse extends Omit<ResponseContent, "blocks"> {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Calls that a fork may not make: they are answered already, by a refusal. */
  readonly refusedCalls?: readonly ToolCall[];
  /** The server has taken more than fits and said nothing: what it answered, it answered to a part of the request. */
  readonly overflow?: Overflow;
  /** The server has read less than it was sent and said nothing. The next request is made to fit what it read. */
  readonly truncation?: Truncation;
}

export interface RecordOptions {
  /**
   * `in-steps`: whoever runs the calls logs their beginnings, as `stepTurn` does. After a crash it is then known which of them
   * may have run. @default unknown: after a crash, any of them may have run
   */
  readonly calls?: "in-steps";
}

/** Some servers report fractions of tokens. */
export function wholeTokens<Usage extends object>(usage: Usage): Usage {
  const whole = Object.entries(usage).map(([name, value]) => [
    name,
    typeof value === "number" ? Math.round(value) : value,
  ]);
  return Object.fromEntries(whole) as Usage;
}

/** The usage of a call that was not made from the view of the session, with its source. */
export interface UsageOfOthers extends UsageTokens, Pick<UsagePayload, "model" | "ending" | "estimated"> {
  readonly source: string;
}

interface UsageParts {
  readonly state: Pick<SessionState, "inOrder" | "append">;
  readonly ports: { readonly facts: Pick<KnownFacts, "of"> };
}

/** Records the usage of a call in the ledger, at the current prices. */
export async function enterUsage({ state, ports }: UsageParts, used: UsageOfOthers): Promise<void> {
  await state.inOrder(() => state.append([usageDraft(used, ports.facts)]));
}

/** The ledger entry of a call, at the current prices. */
export function usageDraft(used: UsageOfOthers, facts: Pick<KnownFacts, "of">): Draft {
  return toDraft("usage", { ...used, prices: facts.of(used.model).prices });
}

interface SideCall {
  readonly source: string;
  readonly provider: string;
  /** As it was asked for. */
  readonly requestModel: string;
  readonly requestedAtMs: number;
  readonly prices: ModelPrices | undefined;
}

/** Emits a response to a request that was not made from the view: listeners that add up costs need every response. */
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
