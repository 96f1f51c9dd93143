import { priceUsd } from "../cost/prices.ts";
import type { ModelPrices } from "../log/prices.ts";
import type { ResponseContent } from "../providers/provider.ts";
import type { Emit } from "../session-event.ts";
import { wholeTokens } from "./whole-tokens.ts";

export interface SideCall {
  readonly source: string;
  readonly provider: string;
  /** As it was asked for. */
  readonly requestModel: string;
  readonly requestedAtMs: number;
  readonly prices: ModelPrices | undefined;
}

/** Tells of a response that answers no request of the session's view, so that whoever counts what is spent misses none. */
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
  const price = prices === undefined ? {} : { priceUsd: priceUsd(used, prices) };
  emit({ kind: "response-recorded", ...call, model, responseId, stop, text, ...used, ...price });
}
