// Plans the calls of `doctor --live` and their cost.
import type { ModelFacts } from "palimpsest";
import { priceUsd } from "palimpsest/inspect";
import type { PlannedCall, Probe, RequestLimits } from "./probe.ts";

export interface LivePlan {
  /** The maximum number of calls, including free calls. */
  readonly calls: number;
  /** The planned cost. Undefined if the model's price is unknown. */
  readonly price?: PlannedPrice;
}

interface PlannedPrice {
  readonly likelyUsd: number;
  readonly mostUsd: number;
}

/** The first call reads the model's facts. */
const FIRST_CALLS = 1;

/** Estimates the calls and the cost of the probes, before anything is sent. */
export function planProbes(probes: readonly Probe[], target: RequestLimits, maxUsd: number): LivePlan {
  const allowed = probes.filter((probe) => whyTooExpensive(probe, target, maxUsd) === undefined);
  const price = plannedPrice(
    allowed.flatMap((probe) => probe.plan(target)),
    target.facts,
  );
  return {
    calls: probes.reduce((sum, { calls }) => sum + calls, FIRST_CALLS),
    price,
  };
}

/** Only a request of this size is expensive, if the service answers it instead of rejecting it. */
const LARGE_INPUT_TOKENS = 50_000;

/** The reason to skip a probe because of its price. Undefined if the probe runs. */
export function whyTooExpensive(probe: Probe, target: RequestLimits, maxUsd: number): string | undefined {
  const large = probe.plan(target).filter(({ inputTokens }) => inputTokens >= LARGE_INPUT_TOKENS);
  const price = plannedPrice(large, target.facts);
  const because = "only our table says how large the window is; were it wrong, this request would be answered";
  if (price === undefined) return `${because}, at a price that is not known`;
  if (price.mostUsd <= maxUsd) return undefined;
  return `${because} and cost up to $${price.mostUsd.toFixed(2)}: --max-usd ${Math.ceil(price.mostUsd)} allows it`;
}

/** The expected cost, and the cost if every answer has its full length. Undefined if the price is unknown. */
function plannedPrice(calls: readonly PlannedCall[], { prices }: ModelFacts): PlannedPrice | undefined {
  if (calls.length === 0) return { likelyUsd: 0, mostUsd: 0 };
  if (prices === undefined) return undefined;
  // Assumes that all input is written to the cache, which is the most expensive case.
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
