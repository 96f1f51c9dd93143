import type { TokenCosts } from "../../cache/token-costs.ts";
import type { DecisionCost, ReplacePayload } from "../../log/payload.ts";
import { clearedStub, stubText } from "./cleared-stub.ts";
import { type Eligibility, eligibleResults } from "./eligible-results.ts";
import type { ResultIndex, ShownResult } from "./result-index.ts";

/** What clearing moves: it neither asks nor says anything. */
type CacheCosts = Pick<TokenCosts, "read" | "write" | "usdPerUnit">;

export type ClearingParameters = FixedClearing | PaybackClearing;

/** The table that such systems are known to use: by time and by size alone. */
export interface FixedClearing {
  readonly policy: "fixed";
  /** Of the newest results, kept when the cache is cold. */
  readonly keepNewestCold: number;
  /** Of the newest results, kept when the view is large. */
  readonly keepNewestLarge: number;
  readonly targetTokens: number;
  readonly minimumTokens: number;
}

/** Ours: clearing is an investment, which has to earn back what it costs the prompt cache. */
export interface PaybackClearing {
  readonly policy: "payback";
  readonly keepNewest: number;
  readonly paybackRequests: number;
  readonly minimumTokens: number;
}

export interface ClearingSituation {
  readonly index: ResultIndex;
  readonly eligibility: Eligibility;
  /** Whether the provider still holds the prompt. */
  readonly cache: "warm" | "cold";
  /** `open`: the model has called tools and not finished its turn. */
  readonly turn: "open" | "closed";
  readonly thinking: "bound" | "free";
  /** Ways that are switched on. */
  readonly ways: { readonly byTime: "on" | "off"; readonly bySize: "on" | "off" };
  readonly sizeTokens: number;
  readonly warningTokens: number;
  readonly costs: CacheCosts;
}

export interface Clearing {
  readonly way: "by-time" | "by-size" | "payback";
  readonly decisions: readonly ReplacePayload[];
  readonly cost: DecisionCost;
}

/** A stub of some 200 characters stands where the result stood. */
const STUB_TOKENS = 60;

/** Which results to clear before the next request; undefined if none. What it goes by comes in. */
export function planClearing(situation: ClearingSituation, parameters: ClearingParameters): Clearing | undefined {
  // Clearing would tear the thinking of the turn that is being worked on from what it is bound to.
  if (situation.thinking === "bound" && situation.turn === "open") return undefined;
  return parameters.policy === "fixed" ? planFixed(situation, parameters) : planPayback(situation, parameters);
}

function planFixed(situation: ClearingSituation, parameters: FixedClearing): Clearing | undefined {
  const { index, eligibility, cache, ways, sizeTokens, warningTokens } = situation;
  if (cache === "cold" && ways.byTime === "on") {
    const stale = clearableResults(index, { ...eligibility, keepNewest: parameters.keepNewestCold });
    if (stale.length > 0) return toClearing("by-time", stale, situation);
  }
  if (ways.bySize === "off" || sizeTokens < warningTokens) return undefined;
  const eligible = clearableResults(index, { ...eligibility, keepNewest: parameters.keepNewestLarge });
  let excessTokens = sumOf(eligible) - parameters.targetTokens;
  const oldest: ShownResult[] = [];
  for (const result of eligible) {
    if (excessTokens <= 0) break;
    oldest.push(result);
    excessTokens -= result.tokens;
  }
  return sumOf(oldest) < Math.max(1, parameters.minimumTokens) ? undefined : toClearing("by-size", oldest, situation);
}

function planPayback(situation: ClearingSituation, parameters: PaybackClearing): Clearing | undefined {
  const { index, eligibility, cache, ways, costs } = situation;
  if (cache === "cold") {
    // The whole prompt is written again anyway: whatever is stale goes for nothing.
    const stale =
      ways.byTime === "off" ? [] : clearableResults(index, { ...eligibility, keepNewest: parameters.keepNewest });
    return stale.length === 0 ? undefined : toClearing("by-time", stale, situation);
  }
  // A plan that found nothing is not made again before as much has come in as a clearing must shed, and a twentieth of what
  // is there: so planning costs what is new, however long the session is.
  const enoughTokens = Math.max(parameters.minimumTokens, index.totalTokens / 20);
  if (ways.bySize === "off" || index.unplannedTokens < enoughTokens) return undefined;
  index.markPlanned();
  const eligible = clearableResults(index, { ...eligibility, keepNewest: parameters.keepNewest });
  const cut = bestCut(eligible, index, costs, parameters.paybackRequests);
  const cleared = eligible.slice(cut);
  if (sumOf(cleared) < Math.max(1, parameters.minimumTokens)) return undefined;
  return toClearing("payback", cleared, situation);
}

/** A result that is no longer than what would stand in its place stays. */
function clearableResults(
  index: ResultIndex,
  eligibility: Eligibility & { readonly keepNewest: number },
): readonly ShownResult[] {
  return eligibleResults(index, eligibility).filter((result) => result.characters > stubText(result).length);
}

/**
 * What is written once more if the prompt changes behind so many tokens: all from the nearest mark before them. The
 * provider looks for what it holds at the marks alone, and those stand at the ends of the newest requests.
 */
function rewrittenTokens({ totalTokens, markedTokens }: ResultIndex, beforeTokens: number, shedTokens: number): number {
  const heldTokens = markedTokens.findLast((tokens) => tokens <= beforeTokens) ?? 0;
  return Math.max(0, totalTokens - heldTokens - shedTokens);
}

/**
 * Clearing from one result on costs that everything behind a mark is written once more instead of read, and saves the
 * reading of what was cleared on every later request. Of all places to begin, the one that gains most within the given requests;
 * past the end if none gains.
 */
function bestCut(
  eligible: readonly ShownResult[],
  index: ResultIndex,
  { read, write }: CacheCosts,
  paybackRequests: number,
): number {
  let best = { cut: eligible.length, gain: 0 };
  let shedTokens = 0;
  for (let cut = eligible.length - 1; cut >= 0; cut--) {
    const { tokens, beforeTokens } = eligible[cut]!;
    shedTokens += Math.max(0, tokens - STUB_TOKENS);
    const rewritten = rewrittenTokens(index, beforeTokens, shedTokens);
    const gain = shedTokens * read * paybackRequests - rewritten * (write - read);
    if (gain > best.gain) best = { cut, gain };
  }
  return best.cut;
}

function toClearing(
  way: Clearing["way"],
  cleared: readonly ShownResult[],
  { index, cache, costs }: ClearingSituation,
): Clearing {
  const shedTokens = cleared.reduce((sum, { tokens }) => sum + Math.max(0, tokens - STUB_TOKENS), 0);
  const invalidatedPrefixTokens = cache === "cold" ? 0 : rewrittenTokens(index, cleared[0]!.beforeTokens, shedTokens);
  const units =
    invalidatedPrefixTokens * (costs.write - costs.read) - shedTokens * (cache === "cold" ? costs.write : costs.read);
  const cost: DecisionCost = {
    shedTokens,
    invalidatedPrefixTokens,
    ...(costs.usdPerUnit === undefined ? {} : { netUsd: units * costs.usdPerUnit }),
  };
  const reason = `cleared ${way}`;
  // One decision for each result, so that each can be taken back; the first carries what they cost together.
  const decisions = cleared.map((result, position) => ({
    from: result.entry,
    to: result.entry,
    with: [clearedStub(result)],
    reason,
    ...(position === 0 ? { cost } : {}),
  }));
  return { way, decisions, cost };
}

function sumOf(results: readonly ShownResult[]): number {
  return results.reduce((sum, { tokens }) => sum + tokens, 0);
}
