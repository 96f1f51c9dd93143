import { costsOf } from "../cache/token-costs.ts";
import type { Ledger } from "../cost/ledger.ts";
import { HEAD } from "../log/messages.ts";
import type { ModelPrices } from "../log/prices.ts";
import { decide } from "../policy/decide.ts";
import type { Attendance, DueCompaction } from "../session/compact/attendance.ts";
import { holdOf, isAnnounced } from "../session/compact/hold-compaction.ts";
import type { CompactionForecast } from "../session-event/compaction-events.ts";
import type { Settings } from "../settings/settings.ts";
import type { Budget } from "../size/budget.ts";
import { estimateTokens } from "../size/calibration.ts";
import { type CompactionSituation, compactionCandidate } from "../stages/compaction-candidate.ts";
import type { CarriedState } from "../state/carried.ts";
import { addFeatures, type Features, NO_FEATURES } from "../tokens/features.ts";
import { isTurnOpen } from "../view/is-turn-open.ts";
import { sizeTokens, type View } from "../view/view.ts";

export interface DueQuestion {
  readonly view: View;
  readonly ledger: Ledger;
  readonly carriedState: CarriedState;
  readonly budget: Budget;
  readonly prices: ModelPrices | undefined;
  readonly settings: Settings;
  readonly attendance: Attendance;
  readonly nowMs: number;
}

/** What a compacted conversation has, at most: a summary, the user's words, facts and files, as they come out usually. */
const USUAL_RESULT_TOKENS = 30_000;
/** The median of 46 recorded summaries was 4,123. */
const USUAL_SUMMARY_TOKENS = 4_000;
/** What was folded and has to be read again; the recorded sessions read two or three files after a compaction. */
const USUAL_REREAD_TOKENS = 8_000;

/** The compaction that comes before the next request, if one does; or one that is held and not named to the user yet. */
export function isCompactionDue(question: DueQuestion): DueCompaction | undefined {
  const { view, carriedState, budget, settings, attendance } = question;
  if (budget.autoCompaction === "off" || settings["compaction.enabled"] === "off") return undefined;
  // What was brought back stays until the user says something.
  if (carriedState.automatic === "held") return undefined;
  const tokens = sizeTokens(view);
  const situation = situationAt(tokens, question);
  const decision = decide([compactionCandidate(situation)]);
  if (decision.kind === "nothing") return undefined;
  const reason = decision.candidate.admissible === "required" ? "window" : "economic";
  const forecast = forecastOf(reason, decision.reason, situation, carriedState);
  const hold = reason === "economic" ? holdOf(question) : undefined;
  if (hold === undefined) return { forecast };
  const isNamed = hold.by === "failed" || isAnnounced(hold, carriedState, attendance.openedAt);
  return isNamed ? undefined : { forecast, hold };
}

/** What a compaction that the window asks for would do now. */
export function forecastCompaction(question: DueQuestion, why: string): CompactionForecast {
  return forecastOf("window", why, situationAt(sizeTokens(question.view), question), question.carriedState);
}

/** The sizes at which compaction saves money: between turns, and while the model is at work. Undefined: none in this window. */
export function economicPoints(question: DueQuestion): { atTokens: number; withinTurnAtTokens: number } | undefined {
  const { settings, budget } = question;
  const { autoCompactTokens: thresholdTokens } = budget;
  const fromTokens = settings["compaction.economicFromTokens"];
  if (settings["compaction.policy"] === "window" || fromTokens >= thresholdTokens) return undefined;
  // Asked for each status line: compared here, without the words that a decision comes with.
  const pays = (tokens: number): boolean => {
    const { admissible, gain, cost } = compactionCandidate({ ...situationAt(tokens, question), turn: "closed" });
    return admissible === "if-it-pays" && gain > cost;
  };
  const mostTokens = thresholdTokens - 1;
  if (!pays(mostTokens)) return undefined;
  let [tooSmall, atTokens] = [fromTokens - 1, pays(fromTokens) ? fromTokens : mostTokens];
  while (atTokens > fromTokens && atTokens - tooSmall > 1) {
    const middle = Math.floor((tooSmall + atTokens) / 2);
    if (pays(middle)) atTokens = middle;
    else tooSmall = middle;
  }
  const inTurnTokens = Math.max(atTokens, settings["compaction.economicInTurnFromTokens"]);
  return { atTokens, withinTurnAtTokens: Math.min(thresholdTokens, inTurnTokens) };
}

function situationAt(tokens: number, question: DueQuestion): CompactionSituation {
  const { view, ledger, carriedState, budget, prices, settings, nowMs } = question;
  const headTokens = estimateTokens(view.calibration, featuresOfHead(view));
  const previous = ledger.sources["main"]?.previous;
  const isCold = previous !== undefined && nowMs >= previous.atMs + previous.lifetimeMs;
  const isLarge =
    tokens >= settings["compaction.economicFromTokens"] &&
    budget.windowTokens > settings["compaction.economicAboveWindowTokens"];
  return {
    sizeTokens: tokens,
    headTokens,
    horizonRequests: settings["compaction.horizonRequests"],
    keptTokens: headTokens + Math.min(USUAL_RESULT_TOKENS, Math.floor(tokens * 0.4)),
    summaryOutputTokens: USUAL_SUMMARY_TOKENS,
    expectedRereadTokens: USUAL_REREAD_TOKENS,
    cache: isCold ? "cold" : "warm",
    turn: isTurnOpen(view) && tokens < settings["compaction.economicInTurnFromTokens"] ? "open" : "closed",
    costs: costsOf(prices, { lifetimeMs: previous?.lifetimeMs, inputTokens: tokens }),
    thresholdTokens: budget.autoCompactTokens,
    policy: isLarge ? settings["compaction.policy"] : "window",
    notes: hasFreshNotes(carriedState) && settings["compaction.notes"] === "on" ? "at-hand" : "none",
  };
}

/** Notes from before the newest boundary cover nothing that a compaction could remove. */
function hasFreshNotes({ notes, chain }: CarriedState): boolean {
  return notes !== undefined && notes.entry > chain.boundary;
}

function forecastOf(
  reason: CompactionForecast["reason"],
  why: string,
  { sizeTokens: tokens, keptTokens, costs }: CompactionSituation,
  { takenBack }: CarriedState,
): CompactionForecast {
  const expectedTokens = Math.min(tokens, keptTokens);
  const savesTokensPerRequest = tokens - expectedTokens;
  const { usdPerUnit } = costs;
  return {
    reason,
    why,
    tokens,
    expectedTokens,
    savesTokensPerRequest,
    ...(usdPerUnit === undefined ? {} : { savesUsdPerRequest: savesTokensPerRequest * costs.read * usdPerUnit }),
    ...(reason === "window" && takenBack.length > 0 ? { overrides: "restore" } : {}),
  };
}

/** What stands before all that is said, and stands there after a compaction, too: it is sent with the first request. */
function featuresOfHead({ configuration, items }: View): Features {
  const sent = items.findIndex(({ kind }) => kind === "seal");
  const first = sent === -1 ? items : items.slice(0, sent);
  const head = first.find((item) => item.kind === "message" && item.attachment === HEAD);
  const features = configuration?.features ?? NO_FEATURES;
  return head?.kind === "message" ? addFeatures(features, head.features) : features;
}
