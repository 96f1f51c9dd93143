import type { Ledger } from "../../cache/ledger.ts";
import { costsOf } from "../../cache/token-costs.ts";
import type { ModelPrices } from "../../log/prices.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Standing } from "../../stages/compact/standing.ts";
import { compactionCandidate } from "../../stages/compaction-candidate.ts";
import { decide } from "../../stages/decide.ts";
import type { Budget } from "../../tokens/budget.ts";
import { estimateTokens } from "../../tokens/calibration.ts";
import { addFeatures, type Features, NO_FEATURES } from "../../tokens/features.ts";
import { isTurnOpen } from "../../view/is-turn-open.ts";
import { sizeTokens, type View } from "../../view/view.ts";
import { HEAD } from "../messages.ts";

export interface DueQuestion {
  readonly view: View;
  readonly ledger: Ledger;
  readonly standing: Standing;
  readonly budget: Budget;
  readonly prices: ModelPrices | undefined;
  readonly settings: Settings;
  readonly nowMs: number;
}

/** What a compacted conversation has, at most: a summary, the user's words, facts and files, as they come out usually. */
const USUAL_RESULT_TOKENS = 30_000;
/** The median of 46 recorded summaries was 4,123. */
const USUAL_SUMMARY_TOKENS = 4_000;
/** What was folded and has to be read again; the recorded sessions read two or three files after a compaction. */
const USUAL_REREAD_TOKENS = 8_000;

/** Why the conversation is to be compacted before the next request, if it is. */
export function isCompactionDue(question: DueQuestion): string | undefined {
  const { view, ledger, standing, budget, prices, settings, nowMs } = question;
  if (budget.autoCompaction === "off" || settings["compaction.enabled"] === "off") return undefined;
  // What was brought back stays until the user says something.
  if (standing.automatic === "held") return undefined;
  const tokens = sizeTokens(view);
  const headTokens = estimateTokens(view.calibration, featuresOfHead(view));
  const previous = ledger.sources["main"]?.previous;
  const isCold = previous !== undefined && nowMs >= previous.atMs + previous.lifetimeMs;
  const isLarge =
    tokens >= settings["compaction.economicFromTokens"] &&
    budget.windowTokens > settings["compaction.economicAboveWindowTokens"];
  const decision = decide([
    compactionCandidate({
      ...{ sizeTokens: tokens, headTokens, horizonRequests: settings["compaction.horizonRequests"] },
      keptTokens: headTokens + Math.min(USUAL_RESULT_TOKENS, Math.floor(tokens * 0.4)),
      summaryOutputTokens: USUAL_SUMMARY_TOKENS,
      expectedRereadTokens: USUAL_REREAD_TOKENS,
      cache: isCold ? "cold" : "warm",
      turn: isTurnOpen(view) && tokens < settings["compaction.economicInTurnFromTokens"] ? "open" : "closed",
      costs: costsOf(prices, { lifetimeMs: previous?.lifetimeMs, inputTokens: tokens }),
      thresholdTokens: budget.autoCompactTokens,
      policy: isLarge ? settings["compaction.policy"] : "window",
      notes: standing.notes !== undefined && settings["compaction.notes"] === "on" ? "at-hand" : "none",
    }),
  ]);
  return decision.kind === "take" ? decision.reason : undefined;
}

/** What stands before all that is said, and stands there after a compaction, too: it is sent with the first request. */
function featuresOfHead({ configuration, items }: View): Features {
  const sent = items.findIndex(({ kind }) => kind === "seal");
  const first = sent === -1 ? items : items.slice(0, sent);
  const head = first.find((item) => item.kind === "message" && item.attachment === HEAD);
  const features = configuration?.features ?? NO_FEATURES;
  return head?.kind === "message" ? addFeatures(features, head.features) : features;
}
