// Describes a decision for the log and for people: the rule, its reason and its price, and the other proposals.

import type { ConsideredProposal, DecidedBy, DecisionFigures, EarlierDecision } from "../log/payload-compaction.ts";
import type { Take, Weighed } from "./decide.ts";
import type { Prices } from "./window-state.ts";

/**
 * The rule that decided, its reason and its price, and the other proposals.
 * @param before the newest decision that changed nothing
 */
export function decidedBy(
  { taken, because, weighed }: Take,
  prices: Prices,
  before: EarlierDecision | undefined,
): DecidedBy {
  const { rule, proposal } = taken;
  const figures = figuresOf(taken, prices);
  const considered = consideredOf(taken, weighed, prices);
  return { rule, level: proposal.level, because, figures, considered, before };
}

/** The price of a proposal, as the log and `explain` show it. */
export function figuresOf({ costNow, costLater, savesNow, savesLater, net }: Weighed, prices: Prices): DecisionFigures {
  const { usdPerUnit, input } = prices;
  const factor = usdPerUnit ?? 1 / input;
  return {
    unit: usdPerUnit === undefined ? "input-tokens" : "usd",
    costNow: rounded(costNow * factor),
    costLater: rounded(costLater * factor),
    savesNow: rounded(savesNow * factor),
    savesLater: rounded(savesLater * factor),
    net: rounded(net * factor),
  };
}

/** The proposals besides the one that was taken. */
function consideredOf(
  taken: Weighed | undefined,
  weighed: readonly Weighed[],
  prices: Prices,
): readonly ConsideredProposal[] {
  const factor = prices.usdPerUnit ?? 1 / prices.input;
  return weighed
    .filter((one) => one !== taken)
    .map(({ rule, proposal, net, afterTokens, barred }) => ({
      rule,
      level: proposal.level,
      net: rounded(net * factor),
      tokensAfter: afterTokens,
      barred,
    }));
}

/** Six digits are enough for people, and keep the entry short. */
function rounded(amount: number): number {
  return Number(amount.toPrecision(6));
}
