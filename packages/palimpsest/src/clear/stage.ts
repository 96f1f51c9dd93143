import { cachedPrompt } from "../cost/misses.ts";
import { costsOf } from "../cost/prices.ts";
import { toDraft } from "../log/draft.ts";
import { type Candidate, decide } from "../policy/decide.ts";
import { NOTHING_TO_DO, type StageContext, type StageDecision } from "../policy/stage.ts";
import { recallOf } from "../recall/recall.ts";
import type { Settings } from "../settings/settings.ts";
import { grouped } from "../text.ts";
import { isTurnOpen, sizeTokens } from "../view/view.ts";

import { type Clearing, type ClearingParameters, type ClearingSituation, planClearing } from "./plan.ts";
import { eligibilityOf } from "./results.ts";

/** Micro-compaction: shows stale tool results as stubs, if that is worth its effect on the prompt cache. */
export async function clearStale(context: StageContext): Promise<StageDecision> {
  const { settings, view, asked } = context;
  if (settings["clearing.enabled"] === "off") return NOTHING_TO_DO;
  // The provider only reports how many results it left out, oldest first: never use both ways between two boundaries.
  if (asked.edits !== undefined || view.edits !== undefined) return NOTHING_TO_DO;
  // Deletions from the cached prompt refer to that prompt, which clearing would change.
  if (asked.deleted !== undefined) return NOTHING_TO_DO;
  const situation = situationOf(context);
  const clearing = planClearing(situation, parametersOf(settings));
  if (clearing === undefined) return NOTHING_TO_DO;
  const decision = decide([candidateOf(clearing, situation, settings)]);
  if (decision.kind === "nothing") return NOTHING_TO_DO;
  const { way, decisions, cost } = decision.candidate.clearing;
  const { shedTokens, invalidatedPrefixTokens } = cost;
  return {
    drafts: decisions.map((one) => toDraft("replace", one)),
    newEvents: [
      {
        kind: "results-cleared",
        way,
        trigger: "auto",
        count: decisions.length,
        shedTokens,
        invalidatedPrefixTokens,
      },
    ],
  };
}

interface ClearingCandidate extends Candidate {
  readonly clearing: Clearing;
}

/** Presents a clearing plan as a candidate for a decision. The fixed rules require it at any cost. */
function candidateOf(clearing: Clearing, { cache, costs }: ClearingSituation, settings: Settings): ClearingCandidate {
  const { way, decisions, cost } = clearing;
  const { shedTokens, invalidatedPrefixTokens } = cost;
  const horizonRequests = settings["clearing.paybackRequests"];
  const next = cache === "cold" ? costs.write : costs.read;
  const shed = `${grouped(shedTokens)} tokens of ${decisions.length} results`;
  return {
    kind: "clear",
    admissible: settings["clearing.policy"] === "fixed" ? "required" : "if-it-pays",
    because: `${shed} are stale (${way})`,
    cost: invalidatedPrefixTokens * (costs.write - costs.read),
    gain: shedTokens * (next + costs.read * (horizonRequests - 1)),
    horizonRequests,
    usdPerUnit: costs.usdPerUnit,
    clearing,
  };
}

function situationOf({
  view,
  ledger,
  results,
  settings,
  budget,
  thinking,
  prices,
  nowMs,
}: StageContext): ClearingSituation {
  const previous = ledger.sources["main"]?.previous;
  return {
    index: results,
    eligibility: eligibilityOf(view.configuration, settings),
    cache: cachedPrompt(previous, nowMs) === "cold" ? "cold" : "warm",
    turn: isTurnOpen(view) ? "open" : "closed",
    thinking,
    ways: { byTime: settings["clearing.byTime"], bySize: settings["clearing.bySize"] },
    sizeTokens: sizeTokens(view),
    warningTokens: budget.warningTokens,
    costs: costsOf(prices, { lifetimeMs: previous?.lifetimeMs }),
    recall: recallOf(view.configuration?.tools ?? []),
  };
}

function parametersOf(settings: Settings): ClearingParameters {
  return settings["clearing.policy"] === "fixed"
    ? {
        policy: "fixed",
        keepNewestCold: settings["clearing.fixedKeepNewest"],
        keepNewestLarge: settings["clearing.keepNewest"],
        targetTokens: settings["clearing.fixedTargetTokens"],
        minimumTokens: settings["clearing.fixedMinTokens"],
      }
    : {
        policy: "payback",
        keepNewest: settings["clearing.keepNewest"],
        paybackRequests: settings["clearing.paybackRequests"],
        minimumTokens: settings["clearing.minTokens"],
      };
}
