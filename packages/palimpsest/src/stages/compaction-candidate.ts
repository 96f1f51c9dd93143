import type { TokenCosts } from "../cache/token-costs.ts";
import type { Candidate } from "../policy/decide.ts";
import { grouped } from "../text.ts";

export interface CompactionSituation {
  /** Size of the current view. */
  readonly sizeTokens: number;
  /** Size of the compacted view: the part before the messages, the summary, and kept and rehydrated content. */
  readonly keptTokens: number;
  /** The part of `keptTokens` before the messages: compaction leaves it in a warm cache. @default 0 */
  readonly headTokens?: number;
  /** The output of the summary call. The median of 46 recorded summaries was 4,123. */
  readonly summaryOutputTokens: number;
  /** Tokens that must be read again because they were lost. */
  readonly expectedRereadTokens: number;
  /** Whether the provider still holds the prompt. */
  readonly cache: "warm" | "cold";
  /** `open`: the model has called tools and has not finished its turn. */
  readonly turn: "open" | "closed";
  readonly costs: TokenCosts;
  /** The number of requests within which it must earn back its cost. */
  readonly horizonRequests: number;
  /** The size from which on the window requires it. */
  readonly thresholdTokens: number;
  /** `window`: only when the window is nearly full. `economic`: also when it saves money. */
  readonly policy: "window" | "economic";
  /** `at-hand`: the summary already exists, so no call is needed. */
  readonly notes: "at-hand" | "none";
}

/**
 * Presents compaction as a candidate for a decision. Its cost: a call that reads the prompt and writes the summary, the write
 * of the new prompt, and the repeated read of lost content. Its saving: the removed tokens on every later request at the price
 * of a cache read; with a cold cache, they are not written again either.
 */
export function compactionCandidate(situation: CompactionSituation): Candidate {
  const { costs, horizonRequests } = situation;
  return {
    kind: "compact",
    ...admissibilityOf(situation),
    cost: costOf(situation),
    gain: gainOf(situation),
    horizonRequests,
    ...(costs.usdPerUnit === undefined ? {} : { usdPerUnit: costs.usdPerUnit }),
  };
}

function admissibilityOf(situation: CompactionSituation): Pick<Candidate, "admissible" | "because"> {
  const { sizeTokens, keptTokens, thresholdTokens, policy, turn, cache, notes } = situation;
  const size = `${grouped(sizeTokens)} tokens`;
  const threshold = grouped(thresholdTokens);
  if (sizeTokens >= thresholdTokens) {
    return { admissible: "required", because: `${size} have reached the threshold of ${threshold}` };
  }
  if (policy === "window") return { admissible: "no", because: `${size} are below the threshold of ${threshold}` };
  // Compaction would remove what the model is working with.
  if (turn === "open") return { admissible: "no", because: `${size} of ${threshold} leave room until the turn ends` };
  const becoming = `${size} become ${grouped(keptTokens)}`;
  const circumstances = `${cache} cache${notes === "at-hand" ? ", notes at hand" : ""}`;
  return { admissible: "if-it-pays", because: `${becoming} (${circumstances})` };
}

function costOf(situation: CompactionSituation): number {
  const { sizeTokens, keptTokens, headTokens = 0, summaryOutputTokens, expectedRereadTokens } = situation;
  const { cache, costs, notes } = situation;
  // The call leaves nothing in the cache for later reads, so a cold prompt is not written for it.
  const readingPrice = cache === "warm" ? costs.read : costs.input;
  const call = notes === "at-hand" ? 0 : sizeTokens * readingPrice + summaryOutputTokens * costs.output;
  // A cold prompt is written in any case: now the new one instead of the old one.
  const rewrite = cache === "warm" ? Math.max(0, keptTokens - headTokens) * (costs.write - costs.read) : 0;
  return call + rewrite + expectedRereadTokens * costs.write;
}

function gainOf({
  sizeTokens,
  keptTokens,
  expectedRereadTokens,
  cache,
  costs,
  horizonRequests,
}: CompactionSituation): number {
  // Content that is read again is back in the prompt.
  const shedTokens = Math.max(0, sizeTokens - keptTokens - expectedRereadTokens);
  const next = cache === "warm" ? costs.read : costs.write;
  return shedTokens * (next + costs.read * (horizonRequests - 1));
}
