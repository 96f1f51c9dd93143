import type { TokenCosts } from "../cache/token-costs.ts";
import type { Candidate } from "./decide.ts";
import { grouped } from "./store-results/preview.ts";

export interface CompactionSituation {
  /** Of the view as it is. */
  readonly sizeTokens: number;
  /** Of the view as it would be: what stands before the messages, the summary, what is kept and put back. */
  readonly keptTokens: number;
  /** Of `keptTokens`, what stands before the messages: compaction leaves it in a warm cache. @default 0 */
  readonly headTokens?: number;
  /** What the summary call writes. The median of 46 recorded summaries was 4,123. */
  readonly summaryOutputTokens: number;
  /** What will have to be read once more because it was forgotten. */
  readonly expectedRereadTokens: number;
  /** Whether the provider still holds the prompt. */
  readonly cache: "warm" | "cold";
  /** `open`: the model has called tools and not finished its turn. */
  readonly turn: "open" | "closed";
  readonly costs: TokenCosts;
  /** Within how many requests it has to earn back its cost. */
  readonly horizonRequests: number;
  /** The size from which on the window asks for it. */
  readonly thresholdTokens: number;
  /** `window`: only when the window is nearly full. `economic`: also when it pays. */
  readonly policy: "window" | "economic";
  /** `at-hand`: the summary is written already, so that no call is needed. */
  readonly notes: "at-hand" | "none";
}

/**
 * Compaction as something to decide about. What it costs: a call that reads the prompt and writes the summary, writing the
 * new prompt, and reading again what was forgotten. What it saves: the tokens shed, on every later request at the price of
 * a cache read; and where the cache is cold, they are not written once more either.
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
  // What the model is working with would be gone in the middle of its work.
  if (turn === "open") return { admissible: "no", because: `${size} of ${threshold} leave room until the turn ends` };
  const becoming = `${size} become ${grouped(keptTokens)}`;
  const circumstances = `${cache} cache${notes === "at-hand" ? ", notes at hand" : ""}`;
  return { admissible: "if-it-pays", because: `${becoming} (${circumstances})` };
}

function costOf(situation: CompactionSituation): number {
  const { sizeTokens, keptTokens, headTokens = 0, summaryOutputTokens, expectedRereadTokens } = situation;
  const { cache, costs, notes } = situation;
  // The call leaves nothing in the cache that would be read again, so a cold prompt is not written for it.
  const readingPrice = cache === "warm" ? costs.read : costs.input;
  const call = notes === "at-hand" ? 0 : sizeTokens * readingPrice + summaryOutputTokens * costs.output;
  // A cold prompt is written anyway: the new one instead of the old.
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
  // What is read again is back in the prompt.
  const shedTokens = Math.max(0, sizeTokens - keptTokens - expectedRereadTokens);
  const next = cache === "warm" ? costs.read : costs.write;
  return shedTokens * (next + costs.read * (horizonRequests - 1));
}
