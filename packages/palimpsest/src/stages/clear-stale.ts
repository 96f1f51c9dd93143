import { cachedPrompt } from "../cache/cached-prompt.ts";
import type { Draft } from "../log/entry.ts";
import type { ModelPrices } from "../log/prices.ts";
import { toDraft } from "../log/to-draft.ts";
import type { Settings } from "../settings/settings.ts";
import { sizeTokens, type View } from "../view/view.ts";
import { eligibilityOf } from "./microcompact/eligible-results.ts";
import {
  type ClearingParameters,
  type ClearingSituation,
  planClearing,
  type TokenCosts,
  USUAL_COSTS,
} from "./microcompact/plan-clearing.ts";
import type { StageContext } from "./stage.ts";

/** Micro-compaction: stale tool results are shown as stubs, when that is worth what it does to the prompt cache. */
export async function clearStale(context: StageContext): Promise<readonly Draft[]> {
  const { settings, view, asked } = context;
  if (settings["clearing.enabled"] === "off") return [];
  // What the provider has left out is only known by count, oldest first: never both between two boundaries.
  if (asked.edits !== undefined || view.edits !== undefined) return [];
  // What is deleted from the cached prompt is relative to that prompt, which clearing would move.
  if (asked.deleted !== undefined) return [];
  const clearing = planClearing(situationOf(context), parametersOf(settings));
  return (clearing?.decisions ?? []).map((decision) => toDraft("replace", decision));
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
    costs: costsOf(prices, previous?.lifetimeMs),
  };
}

function parametersOf(settings: Settings): ClearingParameters {
  return settings["clearing.policy"] === "fixed"
    ? {
        policy: "fixed",
        keepNewestCold: settings["clearing.fixedKeepNewest"],
        keepNewestLarge: settings["clearing.keepNewest"],
        targetTokens: settings["clearing.fixedTargetTokens"],
        leastTokens: settings["clearing.fixedLeastTokens"],
      }
    : {
        policy: "payback",
        keepNewest: settings["clearing.keepNewest"],
        paybackRequests: settings["clearing.paybackRequests"],
        leastTokens: settings["clearing.leastTokens"],
      };
}

/** The model is at work until it has answered: what came in last is a result, not words of the user. */
function isTurnOpen({ items }: View): boolean {
  const last = items.findLast((item) => item.kind === "message" && item.attachment === undefined);
  return last?.kind === "message" && last.origin === "tool";
}

const HOUR_MS = 3_600_000;

function costsOf(prices: ModelPrices | undefined, lifetimeMs = 0): TokenCosts {
  if (prices === undefined) return USUAL_COSTS;
  const write = lifetimeMs >= HOUR_MS ? prices.cacheWrite1h : prices.cacheWrite5m;
  return { read: prices.cacheRead, write, usdPerUnit: 1e-6 };
}
