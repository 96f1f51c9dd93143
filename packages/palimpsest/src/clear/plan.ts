import type { TokenCosts } from "../cost/prices.ts";
import type { DecisionCost, Replacement, ReplacePayload } from "../log/payload.ts";
import type { ResultIndex, ShownResult } from "../view/results.ts";
import { type Eligibility, eligibleResults } from "./results.ts";

/** The stub shows this much of the call's input, enough to recognize it. */
const INPUT_CHARACTERS = 120;

/** Returns the replacement of a cleared result. */
function clearedStub(result: ShownResult, recall: "offered" | "missing"): Replacement {
  const { callId, status } = result;
  const provenance = { kind: "tool", name: result.call?.name ?? "unknown" } as const;
  const blocks = [{ kind: "tool_result", callId, content: stubText(result, recall), status } as const];
  return { role: "user", origin: "tool", provenance, blocks };
}

/** Returns the stub: which result it was, its size, and how to see it again. */
export function stubText({ entry, call, characters }: ShownResult, recall: "offered" | "missing"): string {
  const input = JSON.stringify(call?.input ?? {});
  const shown = input.length > INPUT_CHARACTERS ? `${input.slice(0, INPUT_CHARACTERS).toWellFormed()}...` : input;
  const again =
    recall === "offered" ? `Recall entry ${entry} to read it again.` : "Call the tool again if you need it.";
  return `[Cleared to save room: result of ${call?.name ?? "a tool"} ${shown}, ${characters} characters. ${again}]`;
}

/** The costs that clearing changes: it sends no question and gets no answer. */
type CacheCosts = Pick<TokenCosts, "read" | "write" | "usdPerUnit">;

export type ClearingParameters = FixedClearing | PaybackClearing;

/** The table that similar systems are known to use: it depends only on time and size. */
interface FixedClearing {
  readonly policy: "fixed";
  /** The number of newest results kept when the cache is cold. */
  readonly keepNewestCold: number;
  /** The number of newest results kept when the view is large. */
  readonly keepNewestLarge: number;
  readonly targetTokens: number;
  readonly minimumTokens: number;
}

/** Our own rule: clearing is an investment that must earn back its cost to the prompt cache. */
interface PaybackClearing {
  readonly policy: "payback";
  readonly keepNewest: number;
  readonly paybackRequests: number;
  readonly minimumTokens: number;
}

export interface ClearingSituation {
  readonly index: ResultIndex;
  readonly eligibility: Eligibility;
  /** `warm`: the provider still has the prompt in its cache. */
  readonly cache: "warm" | "cold";
  /** `open`: the model has called tools and not finished its turn. */
  readonly turn: "open" | "closed";
  readonly thinking: "bound" | "free";
  /** The ways of clearing that are switched on. */
  readonly ways: { readonly byTime: "on" | "off"; readonly bySize: "on" | "off" };
  readonly sizeTokens: number;
  readonly warningTokens: number;
  readonly costs: CacheCosts;
  /** Whether the model can recall what is cleared. */
  readonly recall: "offered" | "missing";
}

export interface Clearing {
  readonly way: "by-time" | "by-size" | "payback";
  readonly decisions: readonly ReplacePayload[];
  readonly cost: DecisionCost;
}

/** A stub of about 200 characters replaces the result. */
const STUB_TOKENS = 60;

/** Plans which results to clear before the next request; undefined if none. Pure: all inputs are arguments. */
export function planClearing(situation: ClearingSituation, parameters: ClearingParameters): Clearing | undefined {
  // Clearing would separate the thinking of the open turn from the conversation that it is bound to.
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
    // The whole prompt is written again anyway, so clearing stale results costs nothing.
    const stale =
      ways.byTime === "off" ? [] : clearableResults(index, { ...eligibility, keepNewest: parameters.keepNewest });
    return stale.length === 0 ? undefined : toClearing("by-time", stale, situation);
  }
  // After a plan that cleared nothing, the next one waits for new results: as much as a clearing must remove, and at
  // least a twentieth of the view. So the cost of planning depends on new content, not on the length of the session.
  const enoughTokens = Math.max(parameters.minimumTokens, index.totalTokens / 20);
  if (ways.bySize === "off" || index.unplannedTokens < enoughTokens) return undefined;
  index.markPlanned();
  const eligible = clearableResults(index, { ...eligibility, keepNewest: parameters.keepNewest });
  const cut = bestCut(eligible, index, costs, parameters.paybackRequests);
  const cleared = eligible.slice(cut);
  if (sumOf(cleared) < Math.max(1, parameters.minimumTokens)) return undefined;
  return toClearing("payback", cleared, situation);
}

/** A result that is not longer than its stub stays. */
function clearableResults(
  index: ResultIndex,
  eligibility: Eligibility & { readonly keepNewest: number },
): readonly ShownResult[] {
  return eligibleResults(index, eligibility).filter((result) => result.characters > stubText(result, "offered").length);
}

/**
 * Returns the tokens that are written again if the prompt changes after `beforeTokens`: all from the nearest mark
 * before that place. The provider looks for cached prefixes only at marks, and these are at the ends of the newest
 * requests.
 */
function rewrittenTokens({ totalTokens, markedTokens }: ResultIndex, beforeTokens: number, shedTokens: number): number {
  const heldTokens = markedTokens.findLast((tokens) => tokens <= beforeTokens) ?? 0;
  return Math.max(0, totalTokens - heldTokens - shedTokens);
}

/**
 * Returns where clearing should begin to gain most within the given number of requests; past the end if nothing gains.
 * The cost: all tokens after a mark are written again instead of read. The gain: each later request reads fewer tokens.
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
  { index, cache, costs, recall }: ClearingSituation,
): Clearing {
  const shedTokens = cleared.reduce((sum, { tokens }) => sum + Math.max(0, tokens - STUB_TOKENS), 0);
  const invalidatedPrefixTokens = cache === "cold" ? 0 : rewrittenTokens(index, cleared[0]!.beforeTokens, shedTokens);
  const units =
    invalidatedPrefixTokens * (costs.write - costs.read) - shedTokens * (cache === "cold" ? costs.write : costs.read);
  const cost: DecisionCost = {
    shedTokens,
    invalidatedPrefixTokens,
    netUsd: costs.usdPerUnit === undefined ? undefined : units * costs.usdPerUnit,
  };
  const reason = `cleared ${way}`;
  // One decision per result, so that each can be undone; the first carries the cost of all.
  const decisions = cleared.map((result, position) => ({
    from: result.entry,
    to: result.entry,
    with: [clearedStub(result, recall)],
    reason,
    ...(position === 0 ? { cost } : {}),
  }));
  return { way, decisions, cost };
}

function sumOf(results: readonly ShownResult[]): number {
  return results.reduce((sum, { tokens }) => sum + tokens, 0);
}
