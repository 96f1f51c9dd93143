import type { ModelFacts } from "palimpsest";
import { priceUsd } from "palimpsest/core";
import type { PlannedCall, Probe, RequestLimits } from "./probe.ts";

export interface LivePlan {
  /** At most, free ones included. */
  readonly calls: number;
  /** Undefined: no price is known for this model. */
  readonly price?: PlannedPrice;
}

interface PlannedPrice {
  readonly likelyUsd: number;
  readonly mostUsd: number;
}

/** The model itself is asked for first. */
const FIRST_CALLS = 1;

/** What the probes will do and cost, as far as it is known before anything is sent. */
export function planProbes(probes: readonly Probe[], target: RequestLimits, maxUsd: number): LivePlan {
  const allowed = probes.filter((probe) => whyTooExpensive(probe, target, maxUsd) === undefined);
  const price = plannedPrice(
    allowed.flatMap((probe) => probe.plan(target)),
    target.facts,
  );
  return {
    calls: probes.reduce((sum, { calls }) => sum + calls, FIRST_CALLS),
    ...(price === undefined ? {} : { price }),
  };
}

/** A request of this size is dear, should it be answered against expectation; no other can be. */
const LARGE_INPUT_TOKENS = 50_000;

/** Why a probe is left out; undefined if it is not. */
export function whyTooExpensive(probe: Probe, target: RequestLimits, maxUsd: number): string | undefined {
  const large = probe.plan(target).filter(({ inputTokens }) => inputTokens >= LARGE_INPUT_TOKENS);
  const price = plannedPrice(large, target.facts);
  const because = "only our table says how large the window is; were it wrong, this request would be answered";
  if (price === undefined) return `${because}, at a price that is not known`;
  if (price.mostUsd <= maxUsd) return undefined;
  return `${because} and cost up to $${price.mostUsd.toFixed(2)}: --max-usd ${Math.ceil(price.mostUsd)} allows it`;
}

/** What calls cost if they go as they should, and if each is answered at its full length. Undefined: no price is known. */
function plannedPrice(calls: readonly PlannedCall[], { prices }: ModelFacts): PlannedPrice | undefined {
  if (calls.length === 0) return { likelyUsd: 0, mostUsd: 0 };
  if (prices === undefined) return undefined;
  // All of it written to the cache: no other input costs more.
  const written = ({ inputTokens }: PlannedCall, outputTokens: number): number =>
    priceUsd({ freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: inputTokens, outputTokens }, prices);
  const read = ({ inputTokens, likelyOutputTokens: outputTokens }: PlannedCall): number =>
    priceUsd({ freshTokens: 0, cacheReadTokens: inputTokens, cacheWriteTokens: 0, outputTokens }, prices);
  const likely = (call: PlannedCall): number =>
    call.likely === "refused" ? 0 : call.likely === "cached" ? read(call) : written(call, call.likelyOutputTokens);
  return {
    likelyUsd: calls.reduce((sum, call) => sum + likely(call), 0),
    mostUsd: calls.reduce((sum, call) => sum + written(call, call.mostOutputTokens), 0),
  };
}
