import type { Ledger } from "../cost/ledger.ts";
import { costsOf, type TokenCosts } from "../cost/prices.ts";
import type { ModelPrices } from "../log/cause.ts";
import { HEAD } from "../log/messages.ts";
import { type Candidate, decide } from "../policy/decide.ts";
import type { CompactionForecast } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { Budget } from "../size/budget.ts";
import { estimateTokens } from "../size/calibration.ts";
import { addFeatures, type Features, NO_FEATURES } from "../size/features.ts";
import { type CarriedState, ECONOMIC_BREAKER, mayTry, retryAtMs } from "../state/carried.ts";
import type { Attendance, DueCompaction, Hold } from "../state/options.ts";
import type { CompactionPoint } from "../state/ports.ts";
import { grouped } from "../text.ts";
import { isTurnOpen, sizeTokens, type View } from "../view/view.ts";

/** The mark that says up to where the user has been told that a compaction is coming. */
export const ANNOUNCED = "compaction-announced";

interface HoldQuestion {
  readonly carriedState: CarriedState;
  readonly attendance: Attendance;
  readonly nowMs: number;
}

/** What holds the economic policy now. The window's own compactions are never held by this. */
function holdOf({ carriedState, attendance, nowMs }: HoldQuestion): Hold | undefined {
  const restored = carriedState.takenBack.at(-1);
  if (restored !== undefined) return { by: "restored", since: restored.at };
  if (isHeldSinceOpening(carriedState, attendance)) return { by: "opened" };
  const { economicBreaker, userMessages } = carriedState;
  if (mayTry(economicBreaker, { nowMs, userMessages, viewChangedAt: 0 }, ECONOMIC_BREAKER)) return undefined;
  return { by: "failed", retryAtMs: retryAtMs(economicBreaker, ECONOMIC_BREAKER) ?? nowMs };
}

/** A held compaction is named once for each reason that holds it. */
function isAnnounced(hold: Hold, carriedState: CarriedState, openedAt: number): boolean {
  return announcedAt(carriedState) > (hold.by === "restored" ? hold.since : openedAt);
}

export function announcedAt({ marks }: CarriedState): number {
  return marks[ANNOUNCED] ?? 0;
}

/** Whoever is there has to have been told before they speak. Where nobody is, it is enough that it was told once. */
function isHeldSinceOpening(carriedState: CarriedState, { kind, openedAt }: Attendance): boolean {
  if (openedAt === 0) return false;
  const announced = announcedAt(carriedState);
  if (kind === "unattended") return announced === 0;
  return announced <= openedAt || carriedState.spokenAt <= announced;
}

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
    usdPerUnit: costs.usdPerUnit,
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
    savesUsdPerRequest: usdPerUnit === undefined ? undefined : savesTokensPerRequest * costs.read * usdPerUnit,
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

export function compactionPoint(question: DueQuestion): CompactionPoint {
  const { budget, settings } = question;
  const { profile } = settings;
  if (budget.autoCompaction === "off") return { policy: "off", profile };
  const approval = settings["compaction.auto"] === "ask" ? "asks" : "automatic";
  const full = { atTokens: budget.autoCompactTokens, approval, profile } as const;
  const points = economicPoints(question);
  if (points === undefined) return { policy: "window", ...full };
  const hold = holdOf(question);
  return hold === undefined
    ? { policy: "economic", ...points, approval, profile }
    : { policy: "held", ...full, heldBy: hold.by, thenAtTokens: points.atTokens };
}
